// The chat on a terminal: how soon its prompt stands, what an answer costs to draw, how soon a key is echoed.
import { answerText } from '../endpoint.mjs';
import { frost, settingsFor } from '../home.mjs';
import { timed } from '../process.mjs';
import { writeSession } from '../session.mjs';
import { TerminalRun } from '../terminal.mjs';

const PROMPT = 'Askfrost';
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function open(context, model, args = []) {
  const { spawn } = await import('@lydell/node-pty');
  const env = context.home.env({ ...settingsFor(context.endpoint, model), COLORTERM: 'truecolor' });
  const terminal = new TerminalRun(spawn, [frost, ...args], { env, cwd: context.home.cwd });
  return { terminal, drawn: (await terminal.until(PROMPT)) - terminal.start };
}

/** Resolves when nothing has been written for `ms`. */
async function settled(terminal, ms) {
  while (performance.now() - terminal.lastAt < ms) await pause(ms / 4);
}

export function chatStart(context) {
  const { home } = context;
  return {
    subjects: {
      node: async () => ({ drawn: (await timed(['-e', '0'], { env: home.env(), cwd: home.cwd })).wall }),
      frost: async () => {
        const { terminal, drawn } = await open(context, 'echo-10');
        await pause(1000);
        const { memory } = terminal.usage();
        await terminal.quit();
        return { drawn, memory };
      },
    },
    rows: [
      {
        id: 'chat-drawn',
        what: 'chat, spawn → prompt drawn',
        against: '`node -e 0`',
        ours: ['frost', 'drawn'],
        base: ['node', 'drawn'],
        value: (pick) => pick('frost', 'drawn') / pick('node', 'drawn'),
        bound: 8,
        unit: '×',
      },
      {
        id: 'chat-idle-memory',
        what: 'chat, memory idle',
        ours: ['frost', 'memory'],
        value: (pick) => pick('frost', 'memory'),
        bound: 90,
        unit: 'MB',
      },
    ],
  };
}

/** Asks, waits for the answer to be whole on the screen, and gives what it cost. */
async function answered(context, model) {
  const { endpoint } = context;
  const { terminal } = await open(context, model);
  await settled(terminal, 400);
  endpoint.take();
  terminal.write('Write about snow.');
  await settled(terminal, 200);
  const before = terminal.usage();
  const from = terminal.text.length;
  terminal.write('\r');
  while (!endpoint.take().some((request) => (context.entry = request))) await pause(5);
  while (context.entry.lastByte === undefined) await pause(5);
  await settled(terminal, 400);
  const lag = terminal.lastAt - context.entry.lastByte;
  const { cpu, peak } = terminal.usage();
  const bytes = Buffer.byteLength(terminal.text.slice(from));
  await terminal.kill();
  return { cpu: cpu - before.cpu, peak, bytes, lag };
}

export function chatPaced(context) {
  const text = answerText(500).length;
  return {
    rounds: 3,
    subjects: { frost: () => answered(context, 'slow-500') },
    rows: [
      {
        id: 'chat-peak-memory',
        what: 'chat, memory at the peak of a 5 s answer',
        ours: ['frost', 'peak'],
        value: (pick) => pick('frost', 'peak'),
        bound: 120,
        unit: 'MB',
      },
      {
        id: 'chat-cpu',
        what: 'chat, CPU for a 5 s answer of 500 chunks',
        ours: ['frost', 'cpu'],
        value: (pick) => pick('frost', 'cpu'),
        bound: 800,
        unit: 'ms',
      },
      {
        id: 'chat-bytes',
        what: 'chat, bytes to the terminal for it',
        against: `the answer’s ${text} bytes`,
        ours: ['frost', 'bytes'],
        value: (pick) => pick('frost', 'bytes') / text,
        bound: 8,
        unit: '×',
      },
    ],
  };
}

export function chatBurst(context) {
  const text = answerText(2000).length;
  context.endpoint.prepare('stream-2000');
  return {
    subjects: { frost: () => answered(context, 'stream-2000') },
    rows: [
      {
        id: 'burst-bytes',
        what: 'chat, a burst of 2,000 chunks: bytes to the terminal',
        against: `the answer’s ${text} bytes`,
        ours: ['frost', 'bytes'],
        value: (pick) => pick('frost', 'bytes') / text,
        bound: 2,
        unit: '×',
      },
      {
        id: 'burst-lag',
        what: 'chat, the burst: last byte sent → screen complete',
        ours: ['frost', 'lag'],
        value: (pick) => pick('frost', 'lag'),
        bound: 150,
        unit: 'ms',
      },
    ],
  };
}

export function chatEcho(context) {
  const { id } = writeSession(context.home, 'bench-echo', 10_000, 2_000_000);
  const keys = 'abcdefghij';
  const run = async () => {
    const { terminal } = await open(context, 'echo-10', ['--session', id]);
    await settled(terminal, 800);
    let total = 0;
    for (const key of keys) {
      const at = performance.now();
      const from = terminal.text.length;
      terminal.write(key);
      total += (await terminal.until(key, { from })) - at;
      await pause(60);
    }
    await terminal.kill();
    return { echo: total / keys.length };
  };
  return {
    subjects: { frost: run },
    rows: [
      {
        id: 'key-echo',
        what: 'chat, a key press echoed, 10,000 messages in the session',
        ours: ['frost', 'echo'],
        value: (pick) => pick('frost', 'echo'),
        bound: 10,
        unit: 'ms',
      },
    ],
  };
}
