import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Tool, ToolResult } from '../profiles/tool.js';
import { imageType } from '../workspace/images.js';
import { readLines } from '../workspace/line-reader.js';
import { decode, isBinary, utf16Of } from '../workspace/text-file.js';
import { type Place, signatureOf, type Workspace } from '../workspace/workspace.js';
import { PATH_NAMES, takingNames } from './field-names.js';
import { JudgedPlaces } from './judged-places.js';

const NAMES = takingNames(PATH_NAMES);

const MAX_LINES = 2000;
const MAX_BYTES = 48 * 1024;
/** Files up to this size are held whole; larger ones are read through a window. */
const WHOLE = 8 * 1024 * 1024;
const SCAN_LIMIT = 256 * 1024 * 1024;
const MAX_IMAGE = 5 * 1024 * 1024;

export function readFileTool(workspace: Workspace): Tool {
  const places = new JudgedPlaces(workspace);
  return {
    name: 'read_file',
    description: 'Read a text or image file.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        start: { type: 'integer', minimum: 1, description: 'first line' },
        count: { type: 'integer', minimum: 1 },
      },
      required: ['path'],
    },
    prepare: NAMES,
    access: async (args) => ({ kind: 'read', path: (await places.of(args, args['path'])).name }),
    summary: (args) => String(args['path']),
    async run(args, { signal }) {
      const place = await places.of(args, args['path']);
      const handle = await workspace.open(place);
      try {
        const stat = await handle.stat({ bigint: true });
        return await readAs({ workspace, place, handle, stat, range: rangeOf(args), signal });
      } finally {
        await handle.close();
      }
    },
  };
}

interface OpenFile {
  workspace: Workspace;
  place: Place;
  handle: FileHandle;
  stat: BigIntStats;
  range: { start: number; count: number };
  signal: AbortSignal;
}

function rangeOf({ start, count }: Record<string, unknown>): { start: number; count: number } {
  return { start: typeof start === 'number' ? start : 1, count: Math.min(typeof count === 'number' ? count : MAX_LINES, MAX_LINES) };
}

/** The content as what it is: an image, a binary file, a text small enough to be held, or a window of a large one. */
async function readAs(file: OpenFile): Promise<ToolResult> {
  const { workspace, place, handle, stat, range } = file;
  const size = Number(stat.size);
  const head = Buffer.alloc(Math.min(size, 8192));
  await handle.read(head, 0, head.length, 0);
  const media = imageType(head);
  if (media) return showImage(place.name, media, size, size <= MAX_IMAGE ? await handle.readFile() : undefined);
  if (isBinary(head)) {
    const details = { kind: 'file', path: place.name, bytes: size } as const;
    return { text: `${place.name} is a binary file of ${size} bytes; its content is not shown.`, details };
  }
  if (size > WHOLE) return await windowResult(file);
  const [content, { hashOf }] = await Promise.all([handle.readFile(), import('../workspace/content-hash.js')]);
  workspace.known.set(place.absolute, { signature: signatureOf(stat), hash: hashOf(content) });
  return textResult(place.name, content, range.start, range.count);
}

async function windowResult({ workspace, place, handle, stat, range, signal }: OpenFile): Promise<ToolResult> {
  const details = { kind: 'file', path: place.name, bytes: Number(stat.size) } as const;
  workspace.known.set(place.absolute, { signature: signatureOf(stat) });
  const lines = await readLines(handle, { ...range, maxBytes: MAX_BYTES, scanLimit: SCAN_LIMIT, signal });
  if (!lines.found) {
    return {
      text: notThere(place.name, range.start, `the file has ${stat.size} bytes; search_files finds places in it`),
      isError: true,
      details,
    };
  }
  return { text: `${lines.text}\n[${place.name}: lines ${lines.first}-${lines.last} of a file of ${stat.size} bytes]`, details };
}

function textResult(name: string, content: Buffer, start: number, count: number): ToolResult {
  const text = decode(content);
  const lines = text.split('\n');
  const total = text === '' ? 0 : lines.length - (text.endsWith('\n') ? 1 : 0);
  const details = { kind: 'file', path: name, bytes: content.length, lines: total } as const;
  if (total === 0) return { text: `[${name} is empty]`, details };
  if (start > total) return { text: notThere(name, start, `the file has ${total} lines`), isError: true, details };
  const wanted = lines.slice(start - 1, Math.min(start - 1 + count, total));
  const fit = linesWithin(wanted, MAX_BYTES);
  const shown = wanted.slice(0, Math.max(fit, 1));
  const last = start + shown.length - 1;
  const body = fit === 0 ? `${shown[0]?.slice(0, MAX_BYTES / 2)} [line cut]` : shown.join('\n');
  const whole = start === 1 && last === total && fit !== 0;
  const notes = [
    ...(whole ? [] : [`lines ${start}-${last} of ${total}`]),
    ...(utf16Of(content) ? ['UTF-16'] : text.includes('\ufffd') ? ['bytes that are no UTF-8 show as \ufffd'] : []),
  ];
  const ending = whole && text.endsWith('\n') ? '\n' : '';
  return { text: body + ending + (notes.length > 0 ? `\n[${name}: ${notes.join('; ')}]` : ''), details };
}

/** How many of the lines fit into so many bytes. */
function linesWithin(lines: readonly string[], maxBytes: number): number {
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > maxBytes) return index;
  }
  return lines.length;
}

const notThere = (name: string, start: number, fact: string) => `${name} has no line ${start}: ${fact}.`;

function showImage(name: string, media: string, bytes: number, content: Buffer | undefined): ToolResult {
  const details = { kind: 'file', path: name, bytes } as const;
  if (!content)
    return { text: `${name} is an image of ${bytes} bytes, more than the ${MAX_IMAGE} that can be shown.`, isError: true, details };
  const url = `data:${media};base64,${content.toString('base64')}`;
  return { text: `[${name}: ${media}, ${bytes} bytes]`, details, images: [{ type: 'image', url }] };
}
