/** A model that cannot see, with one beside it that can: images reach it as descriptions. */
import type { ContentPart, ImagePart, Message } from './messages.js';
import type { Model, ModelEnd, ModelEvent, ModelRequest, Usage } from './port.js';

const TASK =
  'Describe this image for a reader who cannot see it: first every text in it, word for word, then what it shows and how its parts are arranged. Be exact and complete; no remarks of your own.';

/** `cost` tells USD of the seeing model's requests, or undefined where its price is not known. */
export function withVisualModel(model: Model, seeing: Model, cost: (usage: Usage | undefined) => number | undefined): Model {
  return new VisualModel(model, seeing, cost);
}

class VisualModel implements Model {
  readonly #model: Model;
  readonly #seeing: Model;
  readonly #cost: (usage: Usage | undefined) => number | undefined;
  /** By URL: an image stays in the history and is looked at once. */
  readonly #descriptions = new Map<string, string>();

  constructor(model: Model, seeing: Model, cost: (usage: Usage | undefined) => number | undefined) {
    this.#model = model;
    this.#seeing = seeing;
    this.#cost = cost;
  }

  get name(): string {
    return this.#model.name;
  }

  get host(): string {
    return this.#model.host;
  }

  async *stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    for (const { url } of request.messages.flatMap(imagesOf)) {
      if (!this.#descriptions.has(url)) yield* this.#look(url, request.signal);
    }
    yield* this.#model.stream({ ...request, messages: request.messages.map((message) => this.#inWords(message)) });
  }

  /** Asks the seeing model; what went wrong becomes the description, for this request only. */
  async *#look(url: string, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const { name, host } = this.#seeing;
    const content: ContentPart[] = [
      { type: 'text', text: TASK },
      { type: 'image', url },
    ];
    let end: ModelEnd | undefined;
    for await (const event of this.#seeing.stream({ messages: [{ role: 'user', content }], tools: [], signal })) {
      if (event.type === 'end') end = event;
      else if (event.type === 'retry' || event.type === 'warning') yield event;
    }
    const cost = this.#cost(end?.usage);
    yield { type: 'helper', model: name, host, ...(end?.usage && { usage: end.usage }), ...(cost !== undefined && { cost }) };
    const text = end?.message.content.trim();
    if (end?.reason === 'stop' && text) this.#descriptions.set(url, text);
    else if (!signal.aborted) {
      const why = end?.error?.message ?? 'it said nothing';
      yield { type: 'warning', code: 'visual_model', text: `${name} could not describe an image: ${why}` };
    }
  }

  #inWords(message: Message): Message {
    if (imagesOf(message).length === 0) return message;
    const describe = ({ url }: ImagePart) => {
      const text = this.#descriptions.get(url);
      return text === undefined ? '[An image that could not be looked at]' : `[An image, as ${this.#seeing.name} describes it]\n${text}`;
    };
    if (message.role === 'tool') {
      const { images = [], ...rest } = message;
      return { ...rest, content: [message.content, ...images.map(describe)].join('\n') };
    }
    if (message.role !== 'user' || typeof message.content === 'string') return message;
    const content = message.content.map((part): ContentPart => (part.type === 'image' ? { type: 'text', text: describe(part) } : part));
    return { ...message, content };
  }
}

function imagesOf(message: Message): ImagePart[] {
  if (message.role === 'tool') return message.images ?? [];
  if (message.role !== 'user' || typeof message.content === 'string') return [];
  return message.content.filter((part) => part.type === 'image');
}
