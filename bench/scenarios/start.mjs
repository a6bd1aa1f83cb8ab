// frost --version and --help against an empty Node.
import { frost } from '../home.mjs';
import { timed } from '../process.mjs';

export function start({ home }) {
  const run =
    (...args) =>
    async () => ({ wall: (await timed(args, { env: home.env(), cwd: home.cwd })).wall });
  return {
    subjects: { node: run('-e', '0'), version: run(frost, '--version'), help: run(frost, '--help') },
    rows: [
      {
        id: 'version',
        what: '`frost --version`, wall',
        against: '`node -e 0`',
        ours: ['version', 'wall'],
        base: ['node', 'wall'],
        value: (pick) => pick('version', 'wall') / pick('node', 'wall'),
        bound: 1.6,
        unit: '×',
      },
      {
        id: 'help',
        what: '`frost --help`, wall',
        against: '`node -e 0`',
        ours: ['help', 'wall'],
        base: ['node', 'wall'],
        value: (pick) => pick('help', 'wall') / pick('node', 'wall'),
        bound: 2,
        unit: '×',
      },
    ],
  };
}
