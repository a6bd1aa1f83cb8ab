type Fields = Record<string, unknown>;

/** What a JSON string may hold as it stands. */
const PLAIN = /^[^"\\\p{Cc}]*$/u;
const CONTENT = /"content": ?"/g;
/** Frames in a row that were unlike the one before them; then the server's frames all differ and nobody looks any more. */
const MOST_UNLIKE = 8;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

/** The delta of a frame that brings a piece of text and nothing else. */
function bareDelta(frame: unknown): (Fields & { content: string }) | undefined {
  if (!isFields(frame) || !isEmpty(frame['error']) || !isEmpty(frame['usage']) || frame['x_groq'] !== undefined) return undefined;
  const [choice, ...others] = Array.isArray(frame['choices']) ? frame['choices'] : [];
  if (others.length > 0 || !isFields(choice) || !isEmpty(choice['finish_reason']) || !isEmpty(choice['error'])) return undefined;
  const { delta } = choice;
  if (!isFields(delta) || typeof delta['content'] !== 'string' || choice['message'] !== undefined) return undefined;
  const hasMore = Object.entries(delta).some(([name, value]) => name !== 'content' && name !== 'role' && !isEmpty(value));
  return hasMore ? undefined : (delta as Fields & { content: string });
}

/**
 * Most frames of a stream are the frame before them with another piece of text. This reads such a frame by comparing it with the
 * last one: no parsing, and no objects but the piece itself. What it gives is what `JSON.parse` would; anything unlike is not read.
 */
export class LikeFrames {
  #before = '';
  #after = '';
  #frame: unknown;
  #delta: { content: string } | undefined;
  #unlike = 0;

  /** The frame in this text, valid until the next call, or undefined: then it has to be parsed. */
  read(text: string): unknown {
    const { length } = text;
    if (!this.#delta || length < this.#before.length + this.#after.length) return undefined;
    if (!text.startsWith(this.#before) || !text.endsWith(this.#after)) return undefined;
    const piece = text.slice(this.#before.length, length - this.#after.length);
    if (!PLAIN.test(piece)) return undefined;
    this.#unlike = 0;
    this.#delta.content = piece;
    return this.#frame;
  }

  /** Remembers a parsed frame as the one to compare with. */
  learn(text: string, frame: unknown): void {
    if (this.#unlike > MOST_UNLIKE) return;
    const delta = bareDelta(frame);
    if (!delta) return;
    const [first, ...more] = text.matchAll(CONTENT);
    if (!first || more.length > 0) return;
    const start = first.index + first[0].length;
    const end = start + delta.content.length;
    if (text.slice(start, end) !== delta.content || text[end] !== '"' || !PLAIN.test(delta.content)) return;
    this.#unlike += 1;
    this.#before = text.slice(0, start);
    this.#after = text.slice(end);
    this.#frame = frame;
    this.#delta = this.#unlike > MOST_UNLIKE ? undefined : delta;
  }
}
