// A long session as frost records it, to be gone on with.
import fs from 'node:fs';
import path from 'node:path';

/**
 * Writes a session of `messages` messages, a question and an answer in turn, `bytes` long in all, into the state folder of a temporary home.
 * @returns {{id: string, file: string}}
 */
export function writeSession(home, id, messages, bytes) {
  const dir = path.join(home.dir, 'state', 'frost', 'sessions');
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = path.join(dir, `${id}.jsonl`);
  const created = Date.now() - 1_000_000;
  const lines = [JSON.stringify({ type: 'session', version: 1, id, cwd: home.cwd, created })];
  const each = Math.max(20, Math.floor(bytes / messages) - 170);
  for (let index = 0; index < messages; index++) {
    const role = index % 2 ? 'assistant' : 'user';
    const content = `${index} ${'snow falls on the lake, '.repeat(Math.ceil(each / 24))}`.slice(0, each);
    const parent = index === 0 ? null : role === 'user' ? `r${index - 1}` : `m${index - 1}`;
    const at = { parent, ts: created + index };
    lines.push(JSON.stringify({ id: `m${index}`, ...at, type: 'message', message: { role, content } }));
    if (role === 'assistant')
      lines.push(JSON.stringify({ id: `r${index}`, parent: `m${index}`, ts: created + index, type: 'run_end', outcome: 'done' }));
  }
  fs.writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return { id, file };
}
