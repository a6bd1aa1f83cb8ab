// Going on with a session of 10,000 messages and 50 MB: until the next question is on the wire.
import { baseline, frost, settingsFor } from '../home.mjs';
import { timed } from '../process.mjs';
import { writeSession } from '../session.mjs';

const MESSAGES = 10_000;
const BYTES = 50_000_000;

export function resume({ home, endpoint }) {
  const { id, file } = writeSession(home, 'bench-long', MESSAGES, BYTES);
  const env = { ...settingsFor(endpoint, 'echo-10'), MAX_CONTEXT_MESSAGES: '40', CONTEXT_WINDOW: '100000000' };
  return {
    subjects: {
      read: async () => {
        const { wall, memory } = await timed([baseline('read-file.mjs'), file], { env: home.env(), cwd: home.cwd, resources: true });
        return { ready: wall, memory };
      },
      frost: async () => {
        endpoint.take();
        const ran = await timed([frost, 'ask', '-s', id, 'Go on.'], { env: home.env(env), cwd: home.cwd, resources: true });
        const [first] = endpoint.take();
        if (first.body.messages.length < 20) throw new Error('the session was not in the request');
        return { ready: first.at - ran.start, memory: ran.memory };
      },
    },
    rows: [
      {
        id: 'resume',
        what: 'going on with a session of 10,000 messages (50 MB), spawn → request',
        against: 'reading the file',
        ours: ['frost', 'ready'],
        base: ['read', 'ready'],
        value: (pick) => pick('frost', 'ready') / pick('read', 'ready'),
        bound: 3,
        unit: '×',
      },
      {
        id: 'resume-memory',
        what: 'the same: memory at the peak',
        against: 'reading the file',
        ours: ['frost', 'memory'],
        base: ['read', 'memory'],
        value: (pick) => pick('frost', 'memory') / pick('read', 'memory'),
        bound: 3,
        unit: '×',
      },
    ],
  };
}
