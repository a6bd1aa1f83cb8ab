import type { Tool, ToolResult } from '../profiles/tool.js';
import { imageType } from '../workspace/images.js';
import { readLines } from '../workspace/line-reader.js';
import { decode, isBinary, utf16Of } from '../workspace/text-file.js';
import { signatureOf, type Workspace } from '../workspace/workspace.js';
import { JudgedPlaces } from './judged-places.js';

const MAX_LINES = 2000;
const MAX_BYTES = 48 * 1024;
/** Files up to this size are held whole; larger ones are read through a window. */
const WHOLE = 8 * 1024 * 1024;
const SCAN_LIMIT = 256 * 1024 * 1024;
const MAX_IMAGE = 5 * 1024 * 1024;

/** `describeImage` speaks for models that cannot see: it turns a data: URL into text. */
export function readFileTool(workspace: Workspace, describeImage?: (url: string, signal: AbortSignal) => Promise<string>): Tool {
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
    access: async (args) => ({ kind: 'read', path: (await places.of(args, args['path'])).name }),
    summary: (args) => String(args['path']),
    async run(args, { signal }) {
      const place = await places.of(args, args['path']);
      const handle = await workspace.open(place);
      try {
        const stat = await handle.stat({ bigint: true });
        const size = Number(stat.size);
        const head = Buffer.alloc(Math.min(size, 8192));
        await handle.read(head, 0, head.length, 0);
        const media = imageType(head);
        if (media)
          return await showImage(place.name, media, size, size <= MAX_IMAGE ? await handle.readFile() : undefined, signal, describeImage);
        const details = { kind: 'file', path: place.name, bytes: size } as const;
        if (isBinary(head)) return { text: `${place.name} is a binary file of ${size} bytes; its content is not shown.`, details };
        const start = typeof args['start'] === 'number' ? args['start'] : 1;
        const count = Math.min(typeof args['count'] === 'number' ? args['count'] : MAX_LINES, MAX_LINES);
        if (size > WHOLE) {
          workspace.known.set(place.absolute, { signature: signatureOf(stat) });
          const range = await readLines(handle, { start, count, maxBytes: MAX_BYTES, scanLimit: SCAN_LIMIT, signal });
          if (!range.found)
            return {
              text: notThere(place.name, start, `the file has ${size} bytes; search_files finds places in it`),
              isError: true,
              details,
            };
          return { text: `${range.text}\n[${place.name}: lines ${range.first}-${range.last} of a file of ${size} bytes]`, details };
        }
        const [content, { hashOf }] = await Promise.all([handle.readFile(), import('../workspace/content-hash.js')]);
        workspace.known.set(place.absolute, { signature: signatureOf(stat), hash: hashOf(content) });
        return textResult(place.name, content, start, count);
      } finally {
        await handle.close();
      }
    },
  };
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

async function showImage(
  name: string,
  media: string,
  bytes: number,
  content: Buffer | undefined,
  signal: AbortSignal,
  describe?: (url: string, signal: AbortSignal) => Promise<string>,
): Promise<ToolResult> {
  const details = { kind: 'file', path: name, bytes } as const;
  if (!content)
    return { text: `${name} is an image of ${bytes} bytes, more than the ${MAX_IMAGE} that can be shown.`, isError: true, details };
  const url = `data:${media};base64,${content.toString('base64')}`;
  if (describe) return { text: `[${name}, as another model describes it]\n${await describe(url, signal)}`, details };
  return { text: `[${name}: ${media}, ${bytes} bytes]`, details, images: [{ type: 'image', url }] };
}
