import { FrostError } from '../errors.js';
import type { Tool } from '../profiles/tool.js';
import { diffOf } from '../workspace/diff.js';
import { type EditableText, editable, encode } from '../workspace/text-file.js';
import { type Place, signatureOf, type Workspace } from '../workspace/workspace.js';
import { PATH_NAMES, takingNames } from './field-names.js';
import { JudgedPlaces } from './judged-places.js';
import { change } from './write-file.js';

const NAMES = takingNames({
  ...PATH_NAMES,
  old_string: 'old',
  old_str: 'old',
  old_text: 'old',
  new_string: 'new',
  new_str: 'new',
  new_text: 'new',
  replace_all: 'all',
} as const);

export function editFileTool(workspace: Workspace): Tool {
  const places = new JudgedPlaces(workspace);
  return {
    name: 'edit_file',
    description: 'Replace exact text in a file that was read before. old must occur once, unless all is true.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, old: { type: 'string' }, new: { type: 'string' }, all: { type: 'boolean' } },
      required: ['path', 'old', 'new'],
    },
    prepare: NAMES,
    access: async (args) => ({ kind: 'write', path: (await places.of(args, args['path'])).name }),
    exclusive: true,
    summary: (args) => String(args['path']),
    async preview(args) {
      const { place, before, after } = await edited(workspace, places, args);
      return (await diffOf(place.name, before, after)).diff;
    },
    async run(args) {
      return await workspace.exclusively(await places.of(args, args['path']), async () => {
        const { place, bom, after } = await edited(workspace, places, args);
        return await change(workspace, place, encode(after, bom));
      });
    },
  };
}

/** The file's text before and after the edit; throws FrostError where the edit cannot be made. */
async function edited(workspace: Workspace, places: JudgedPlaces, args: Record<string, unknown>) {
  const place = await places.of(args, args['path']);
  const file = await readForEdit(workspace, place);
  const edit = { old: String(args['old']), fresh: String(args['new']), all: args['all'] === true };
  return { place, bom: file.bom, before: file.text, after: replaceIn(place.name, file, edit) };
}

/** Throws FrostError where the file was not read before, was changed since, or is no UTF-8 text. */
async function readForEdit(workspace: Workspace, place: Place): Promise<EditableText> {
  const handle = await workspace.open(place);
  try {
    const known = workspace.known.get(place.absolute);
    if (!known) throw new FrostError('failed', `${place.name} was not read yet; read it with read_file first.`);
    const signature = signatureOf(await handle.stat({ bigint: true }));
    const [content, { hashOf }] = await Promise.all([handle.readFile(), import('../workspace/content-hash.js')]);
    // The same content under a new date is no change.
    if (signature !== known.signature && hashOf(content) !== known.hash) {
      throw new FrostError('failed', `${place.name} was changed by someone else since it was read; read it again first.`);
    }
    const file = editable(content);
    if (!file) throw new FrostError('failed', `${place.name} is not UTF-8 text, so it cannot be edited without damage.`);
    return file;
  } finally {
    await handle.close();
  }
}

function replaceIn(name: string, { text, crlf }: EditableText, edit: { old: string; fresh: string; all: boolean }): string {
  // A model sees and writes plain line feeds; the file keeps its own line endings.
  const native = (part: string) => (crlf ? part.replace(/\r?\n/g, '\r\n') : part);
  const exact = text.includes(edit.old);
  const [old, fresh] = exact && !crlf ? [edit.old, edit.fresh] : [native(edit.old), native(edit.fresh)];
  if (old === '') throw new FrostError('failed', 'old is empty; write_file writes a whole file.');
  if (old === fresh) throw new FrostError('failed', 'old and new are the same.');
  const pieces = text.split(old);
  const count = pieces.length - 1;
  if (count === 0) throw new FrostError('failed', `The text to replace does not occur in ${name}.${nearMiss(text, old)}`);
  if (count > 1 && !edit.all) {
    throw new FrostError(
      'failed',
      `The text to replace occurs ${count} times in ${name} (lines ${linesOf(pieces, old).join(', ')}); give more of it, or all: true.`,
    );
  }
  return pieces.join(fresh);
}

/** Where the text would occur if white space did not count. */
function nearMiss(text: string, old: string): string {
  const flat = (part: string) => part.replace(/\s+/g, ' ').trim();
  const wanted = flat(old);
  const height = old.trim().split('\n').length;
  const lines = text.split('\n');
  const at =
    wanted === '' || lines.length > 20_000
      ? -1
      : lines.findIndex((_, index) => flat(lines.slice(index, index + height).join('\n')) === wanted);
  return at < 0 ? '' : ` Line ${at + 1} differs from it in white space only.`;
}

/** The lines in which the gaps between the pieces lie, the first few. */
function linesOf(pieces: readonly string[], gap: string): (number | string)[] {
  const shown = pieces.slice(0, Math.min(pieces.length - 1, 5));
  const lines = shown.map(
    (_, index) =>
      pieces
        .slice(0, index + 1)
        .join(gap)
        .split('\n').length,
  );
  return pieces.length - 1 > 5 ? [...lines, '…'] : lines;
}
