/** Fourteen faults, before, during and after the text of an answer, at the main agent and at a specialist: what a user sees. */
import fs from 'node:fs';
import path from 'node:path';
import { closeEndpoints, type Endpoint, type Reply, startEndpoint } from '../../support/endpoint.js';
import { Machine } from '../../support/frost.js';
import { DONE, data, delta, finish } from './frames.js';

export const WHENS = ['before', 'during', 'after'] as const;
export const WHOS = ['main', 'child'] as const;

export type When = (typeof WHENS)[number];
export type Who = (typeof WHOS)[number];

interface Fault {
  name: string;
  /** Instead of an answer, where the fault comes before any text; default: `frames` alone. */
  status?: Reply;
  /** What the stream brings at this moment. */
  frames: string[];
  end?: Reply['end'];
}

const errorFrame = (code: number | string, message: string) => [data({ error: { code, message } })];
const status = (code: number, message: string, more: Partial<Reply> & { error?: Record<string, unknown> } = {}): Reply => {
  const { error, ...rest } = more;
  return { status: code, body: { error: { message, ...error } }, ...rest };
};

export const FAULTS: Fault[] = [
  { name: 'connection reset', frames: [], end: 'reset' },
  { name: 'silence (idle time-out)', frames: [], end: 'hang' },
  { name: 'clean close without an end', frames: [] },
  { name: 'a frame cut in the middle', frames: ['data: {"choices":[{"index":0,"del'] },
  {
    name: 'a web page',
    status: { status: 200, body: '<!doctype html><p>Please log in</p>', headers: { 'content-type': 'text/html' } },
    frames: ['<!doctype html><p>Gateway error</p>'],
  },
  { name: '401 key refused', status: status(401, 'invalid key'), frames: errorFrame(401, 'invalid key') },
  { name: '404 unknown model', status: status(404, 'model not found'), frames: errorFrame(404, 'model not found') },
  {
    name: '400 context too long',
    status: status(400, 'maximum context length exceeded', { error: { code: 'context_length_exceeded' } }),
    frames: errorFrame('context_length_exceeded', 'maximum context length exceeded'),
  },
  {
    name: '429, wait for an hour',
    status: status(429, 'slow down', { headers: { 'retry-after': '3600' } }),
    frames: errorFrame(429, 'slow down'),
  },
  { name: '500 again and again', status: status(500, 'boom'), frames: errorFrame(500, 'boom') },
  { name: 'an error without a code', frames: errorFrame('', 'provider disconnected') },
  { name: 'content filter', frames: [finish('content_filter'), DONE] },
  { name: 'length limit', frames: [finish('length'), DONE] },
  {
    name: 'half a tool call',
    frames: [delta({ tool_calls: [{ index: 0, id: 'A', function: { name: 'send_message', arguments: '{"text":"ha' } }] })],
  },
];

/** Blocks are written a moment apart, so that a reset does not overtake the text. */
function replyOf(fault: Fault, when: When): Reply {
  const paced = { paceMs: 15, ...(fault.end && { end: fault.end }) };
  if (when === 'before') return fault.status ?? { sse: [': begin\n\n', ...fault.frames, ': then\n\n'], ...paced };
  if (when === 'during') return { sse: [delta({ content: 'Half of it' }), ...fault.frames, ': then\n\n'], ...paced };
  return { sse: [delta({ content: 'All of it' }), finish('stop'), ...fault.frames, ': then\n\n'], ...paced };
}

export interface Cell {
  exit: number;
  stdout: string;
  stderr: string;
  session: string;
}

/** One run of the built program as a user would start it. */
export async function runCell(fault: Fault, when: When, who: Who): Promise<Cell> {
  const broken = await startEndpoint(() => replyOf(fault, when));
  const delegating = await startEndpoint([
    { calls: [{ name: 'use_subagent', arguments: { subagent_name: 'Coder', content: 'write it' } }] },
    { text: 'Coder is back.' },
  ]);
  const machine = who === 'main' ? new Machine(broken) : new Machine(delegating, broken);
  try {
    const env = { FROST_IDLE_TIMEOUT: '1.5', FROST_FIRST_BYTE_TIMEOUT: '5', FROST_MAX_ATTEMPTS: '2' };
    const run = await machine.run(['ask', 'go'], { env });
    return { exit: run.status, stdout: run.stdout, stderr: plain(run.stderr, [broken, delegating]), session: sessionOf(machine, who) };
  } finally {
    machine.remove();
  }
}

export const closeCells = closeEndpoints;

function plain(text: string, endpoints: Endpoint[]): string {
  let out = text.trim();
  for (const { port } of endpoints) out = out.replaceAll(`127.0.0.1:${port}`, 'HOST');
  return out.replace(/ECONNRESET: (aborted|socket hang up|read ECONNRESET)|read ECONNRESET|aborted \(ECONNRESET\)/g, 'ECONNRESET');
}

interface Line {
  type: string;
  agent?: string;
  outcome?: string;
  status?: string;
  message?: { role: string; incomplete?: string };
}

/** The records after the question, in words: which messages there are, and how the run ended. */
function sessionOf(machine: Machine, who: Who): string {
  const [file] = machine.sessionFiles;
  if (!file) return 'none';
  const lines = fs
    .readFileSync(path.join(machine.sessionsDir, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const isOurs = (line: Line) => (who === 'child' ? line.agent !== undefined || line.type === 'agent_end' : true);
  const words = lines.filter(isOurs).flatMap(({ type, message, outcome, status: ended }) => {
    if (type === 'message' && message?.role === 'assistant')
      return [message.incomplete ? `answer (incomplete: ${message.incomplete})` : 'answer'];
    if (type === 'run_end' || type === 'agent_end') return [`${outcome ?? ended}`];
    return [];
  });
  return words.join(', ');
}
