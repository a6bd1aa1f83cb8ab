// A folder of 100,000 files and one of 5 GB: listed and searched in one question, by frost itself.
import fs from 'node:fs';
import path from 'node:path';
import { frost, settingsFor } from '../home.mjs';
import { timed } from '../process.mjs';

function makeFolder(folder) {
  for (let outer = 0; outer < 100; outer++) {
    fs.mkdirSync(path.join(folder, `d${outer}`), { recursive: true });
    for (let inner = 0; inner < 1000; inner++) fs.writeFileSync(path.join(folder, `d${outer}/f${inner}.txt`), 'hay\n');
  }
  fs.writeFileSync(path.join(folder, 'd57/needle.txt'), 'a needle\n');
  fs.writeFileSync(path.join(folder, 'huge.bin'), '');
  fs.truncateSync(path.join(folder, 'huge.bin'), 5 * 1024 ** 3);
}

export function folder({ home, endpoint }) {
  const cwd = path.join(home.dir, 'folder');
  // Without a search program on PATH.
  const env = home.env({ ...settingsFor(endpoint, 'look-0'), PATH: path.dirname(process.execPath) });
  const run = async () => {
    if (!fs.existsSync(cwd)) makeFolder(cwd);
    endpoint.take();
    const { wall, memory } = await timed([frost, 'ask', '--no-session', 'Where is the needle?'], { env, cwd, resources: true });
    const results = endpoint
      .take()
      .at(-1)
      .body.messages.filter(({ role }) => role === 'tool')
      .map(({ content }) => content);
    if (results.join() !== 'd57/needle.txt,d57/needle.txt:1:a needle') throw new Error(`the tools answered ${results.join()}`);
    return { wall, memory };
  };
  return {
    rounds: 3,
    subjects: { frost: run },
    rows: [
      {
        id: 'folder-wall',
        what: '`frost ask` lists and searches 100,000 files, wall',
        ours: ['frost', 'wall'],
        value: (pick) => pick('frost', 'wall') / 1000,
        bound: 4,
        unit: 's',
      },
      {
        id: 'folder-memory',
        what: 'the same, memory at the peak',
        ours: ['frost', 'memory'],
        value: (pick) => pick('frost', 'memory'),
        bound: 200,
        unit: 'MB',
      },
    ],
  };
}
