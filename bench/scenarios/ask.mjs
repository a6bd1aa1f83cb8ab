// A one-shot question with an answer of ten chunks: the whole process, from its start to its exit.
import { baseline, frost, settingsFor } from '../home.mjs';
import { timed } from '../process.mjs';

const QUESTION = 'Write about snow.';
const SCRIPT = 'bare node:http script';

function subjects({ home, endpoint }, resources) {
  const run = (args, env) => async () => {
    endpoint.take();
    const ran = await timed(args, { env: home.env(env), cwd: home.cwd, resources });
    const [first] = endpoint.take();
    return { request: first.at - ran.start, wall: ran.wall, body: first.bytes / 1000, cpu: ran.cpu, memory: ran.memory };
  };
  return {
    script: run([baseline('http.mjs'), endpoint.url, 'echo-10'], {}),
    frost: run([frost, 'ask', QUESTION], settingsFor(endpoint, 'echo-10')),
  };
}

export function ask(context) {
  return {
    subjects: subjects(context, false),
    rows: [
      {
        id: 'first-request',
        what: '`frost ask`, spawn → request on the wire',
        against: SCRIPT,
        ours: ['frost', 'request'],
        base: ['script', 'request'],
        value: (pick) => pick('frost', 'request') / pick('script', 'request'),
        bound: 1.7,
        unit: '×',
      },
      {
        id: 'ask-wall',
        what: '`frost ask`, 10 chunks, wall',
        against: SCRIPT,
        ours: ['frost', 'wall'],
        base: ['script', 'wall'],
        value: (pick) => pick('frost', 'wall') / pick('script', 'wall'),
        bound: 2,
        unit: '×',
      },
      {
        id: 'request-body',
        what: 'request body of a first question, tools and prompt included',
        ours: ['frost', 'body'],
        value: (pick) => pick('frost', 'body'),
        bound: 6,
        unit: 'kB',
      },
    ],
  };
}

export function askResources(context) {
  return {
    subjects: subjects(context, true),
    rows: [
      {
        id: 'ask-memory',
        what: '`frost ask`, 10 chunks, memory at the peak',
        against: SCRIPT,
        ours: ['frost', 'memory'],
        base: ['script', 'memory'],
        value: (pick) => pick('frost', 'memory') / pick('script', 'memory'),
        bound: 1.4,
        unit: '×',
      },
    ],
  };
}
