// Answers that are long, and answers at the pace of a model.
import { answerText } from '../endpoint.mjs';
import { baseline, frost, settingsFor } from '../home.mjs';
import { timed } from '../process.mjs';

const QUESTION = 'Write about snow.';
const LONG = 20_000;

export function longAnswer({ home, endpoint }) {
  const expected = answerText(LONG).trimEnd().length;
  endpoint.prepare(`stream-${LONG}`);
  const run = (args, env, whole) => async () => {
    const ran = await timed(args, { env: home.env(env), cwd: home.cwd, resources: true });
    if (whole && ran.stdout.trimEnd().length !== expected) throw new Error(`only ${ran.stdout.length} of ${expected} characters came out`);
    return { cpu: ran.cpu, memory: ran.memory };
  };
  const script = (model, whole) => run([baseline('http.mjs'), endpoint.url, model], {}, whole);
  const ours = (model, whole) => run([frost, 'ask', QUESTION], settingsFor(endpoint, model), whole);
  const added = (pick, who, metric) => pick(`${who}-long`, metric) - pick(`${who}-short`, metric);
  return {
    subjects: {
      'script-short': script('echo-10', false),
      'frost-short': ours('echo-10', false),
      'script-long': script(`stream-${LONG}`, true),
      'frost-long': ours(`stream-${LONG}`, true),
    },
    rows: [
      {
        id: 'long-cpu',
        what: '20,000 chunks into a pipe: CPU added over 10 chunks',
        against: 'the script’s added CPU',
        ours: ['frost-long', 'cpu'],
        base: ['script-long', 'cpu'],
        value: (pick) => added(pick, 'frost', 'cpu') / added(pick, 'script', 'cpu'),
        bound: 2.5,
        unit: '×',
      },
      {
        id: 'long-memory',
        what: '20,000 chunks into a pipe: memory added over 10 chunks',
        ours: ['frost-long', 'memory'],
        base: ['frost-short', 'memory'],
        value: (pick) => added(pick, 'frost', 'memory'),
        bound: 10,
        unit: 'MB',
      },
    ],
  };
}

export function pacedAnswer({ home, endpoint }) {
  return {
    subjects: {
      frost: async () => {
        endpoint.take();
        const args = [frost, 'ask', '--no-tools', QUESTION];
        const ran = await timed(args, { env: home.env(settingsFor(endpoint, 'slow-30')), cwd: home.cwd });
        const [first] = endpoint.take();
        return { lag: ran.firstByte - first.firstChunk };
      },
    },
    rows: [
      {
        id: 'first-byte',
        what: 'first byte on stdout after the endpoint’s first chunk (`--no-tools`)',
        ours: ['frost', 'lag'],
        value: (pick) => pick('frost', 'lag'),
        bound: 15,
        unit: 'ms',
      },
    ],
  };
}
