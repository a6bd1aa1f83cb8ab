// Which chunks lie together in one file: all that a start reads is read at once, the rest is a file a chunk.
import { createHash } from 'node:crypto';
import path from 'node:path';

/** The modules whose chunks, and all that these import in turn, belong together. An earlier pack keeps what a later one needs too. */
const PACKS = {
  ask: ['src/cli/main.ts', 'src/cli/ask.ts'],
  chat: ['src/cli/chat-command.ts', 'src/cli/chat.ts', 'src/ui/lang/lang.ts', 'src/ui/theme.ts', 'src/ui/start.ts'],
  screen: ['src/ui/ink.tsx'],
};

/** The file names of the chunks that `roots` import statically, themselves included. */
function closure(outputs, roots) {
  const found = new Set();
  const visit = (output) => {
    if (found.has(output)) return;
    found.add(output);
    for (const { path: target, kind } of outputs[output].imports) if (kind === 'import-statement' && outputs[target]) visit(target);
  };
  for (const root of roots) {
    const [output] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === root) ?? [];
    if (!output) throw new Error(`${root} is no chunk of its own any more; see build/packs.mjs.`);
    visit(output);
  }
  return [...found].map((output) => path.basename(output));
}

const hashOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 8);

/**
 * @param functions chunk name → function expression
 * @param apart every chunk in a file of its own, for source maps
 * @returns `{files: [{name, text}], where: {chunk: file}}`; a file's text is an expression: an object of functions by chunk name
 */
export function packed(functions, metafile, apart = false) {
  const left = new Map(functions);
  const files = [];
  const where = {};
  const add = (label, chunks) => {
    const text = `({${chunks.map((chunk) => `${JSON.stringify(chunk)}:${left.get(chunk)}`).join(',\n')}})`;
    const name = `${label}-${hashOf(text)}.js`;
    files.push({ name, text });
    for (const chunk of chunks) {
      where[chunk] = name;
      left.delete(chunk);
    }
  };
  for (const [label, roots] of Object.entries(apart ? {} : PACKS)) {
    const chunks = closure(metafile.outputs, roots).filter((chunk) => left.has(chunk));
    if (chunks.length > 0) add(label, chunks);
  }
  for (const chunk of [...left.keys()]) add(chunk.replace(/-[A-Z0-9]{8}\.js$/, ''), [chunk]);
  return { files, where };
}
