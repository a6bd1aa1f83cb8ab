import fs from 'node:fs/promises';
import type { Tool, ToolResult } from '../profiles/tool.js';
import { diffOf } from '../workspace/diff.js';
import { decode, isBinary } from '../workspace/text-file.js';
import { type Place, signatureOf, type Workspace } from '../workspace/workspace.js';
import { PATH_NAMES, takingNames } from './field-names.js';
import { JudgedPlaces } from './judged-places.js';

const NAMES = takingNames({ ...PATH_NAMES, text: 'content', contents: 'content' } as const);

export function writeFileTool(workspace: Workspace): Tool {
  const places = new JudgedPlaces(workspace);
  return {
    name: 'write_file',
    description: 'Write a whole file; folders are made. Prefer edit_file for changes.',
    parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } }, required: ['path', 'content'] },
    prepare: NAMES,
    access: async (args) => ({ kind: 'write', path: (await places.of(args, args['path'])).name }),
    exclusive: true,
    summary: (args) => String(args['path']),
    async preview(args) {
      const place = await places.of(args, args['path']);
      const former = await formerText(workspace, place);
      return (await diffOf(place.name, former, String(args['content']))).diff;
    },
    async run(args) {
      const place = await places.of(args, args['path']);
      return await workspace.exclusively(place, async () => {
        const known = workspace.known.get(place.absolute);
        if (known && place.exists && known.hash !== undefined && !(await isUnchanged(workspace, place, known.hash))) {
          return { text: `${place.name} was changed by someone else since it was read; read it again first.`, isError: true };
        }
        return await change(workspace, place, Buffer.from(String(args['content'])));
      });
    },
  };
}

/** Undefined for a new file, and for one that cannot be read here: the write itself says why. */
async function formerText(workspace: Workspace, place: Place): Promise<string | undefined> {
  const handle = await workspace.open(place).catch(() => undefined);
  try {
    return handle && decode(await handle.readFile());
  } finally {
    await handle?.close();
  }
}

async function isUnchanged(workspace: Workspace, place: Place, hash: string): Promise<boolean> {
  const handle = await workspace.open(place);
  try {
    const { hashOf } = await import('../workspace/content-hash.js');
    return hashOf(await handle.readFile()) === hash;
  } finally {
    await handle.close();
  }
}

/** Writes the content and reports the change as a diff. */
export async function change(workspace: Workspace, place: Place, content: Buffer): Promise<ToolResult> {
  const [{ writeAtomically }, { hashOf }] = await Promise.all([
    import('../workspace/atomic-write.js'),
    import('../workspace/content-hash.js'),
  ]);
  const { former } = await writeAtomically(workspace, place, content);
  const stat = await fs.lstat(place.absolute, { bigint: true });
  workspace.known.set(place.absolute, { signature: signatureOf(stat), hash: hashOf(content) });
  const verb = former ? 'Changed' : 'Created';
  if ((former && isBinary(former)) || isBinary(content)) {
    return { text: `${verb} ${place.name}.`, details: { kind: 'file', path: place.name, bytes: content.length } };
  }
  const { diff, added, removed } = await diffOf(place.name, former ? decode(former) : undefined, decode(content));
  return {
    text: `${verb} ${place.name} (+${added} -${removed} lines).`,
    details: { kind: 'diff', path: place.name, diff, added, removed },
  };
}
