/** What an endpoint or model understands: set by hand in settings.json (`compat`), or learned from its refusals. */

export type TextCallDialect = 'hermes' | 'qwen' | 'llama';

export interface Compat {
  /** Is the model offered tools? Default true. */
  tools?: boolean;
  /** Sent as `parallel_tool_calls` where set; by default the field is not sent. */
  parallelToolCalls?: boolean;
  /** Is `stream_options` sent, so that usage comes with the stream? Default true. */
  streamOptions?: boolean;
  /** Does the endpoint stream? Default true. */
  stream?: boolean;
  /** The field that bounds the answer, where a bound is set. Default `max_tokens`. */
  maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** Is `reasoning_effort` sent where it is set? Default true. */
  reasoningEffort?: boolean;
  /** How a schema is asked for: `json_schema` (default), `json_object`, or not at all. */
  responseFormat?: 'json_schema' | 'json_object' | false;
  /** The role of the system prompt; `user` puts it before the first question. Default `system`. */
  systemRole?: 'system' | 'developer' | 'user';
  /** Which turns get their reasoning back: those of the running tool calls (`turn`, default), every one (`all`), or none. */
  reasoningBack?: 'turn' | 'all' | false;
  /** Must user and assistant turns alternate? Default false. */
  alternate?: boolean;
  /** Reads tool calls that the model writes as text, in this dialect. */
  textToolCalls?: TextCallDialect;
  /** Are images sent? Default true. */
  images?: boolean;
}

/** `compat` of settings.json: by host, host with port, endpoint or model. */
export type CompatSettings = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const VALUES: { [K in keyof Required<Compat>]: readonly Compat[K][] } = {
  tools: [true, false],
  parallelToolCalls: [true, false],
  streamOptions: [true, false],
  stream: [true, false],
  maxTokensField: ['max_tokens', 'max_completion_tokens'],
  reasoningEffort: [true, false],
  responseFormat: ['json_schema', 'json_object', false],
  systemRole: ['system', 'developer', 'user'],
  reasoningBack: ['turn', 'all', false],
  alternate: [true, false],
  textToolCalls: ['hermes', 'qwen', 'llama'],
  images: [true, false],
};

/** The known fields of a record with values they can have; `problem` is told of the rest. */
export function readCompat(record: Readonly<Record<string, unknown>>, problem: (text: string) => void = () => {}): Compat {
  const compat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    const allowed = Object.hasOwn(VALUES, name) ? (VALUES as Record<string, readonly unknown[]>)[name] : undefined;
    if (!allowed) problem(`compat.${name} is unknown; known are ${Object.keys(VALUES).join(', ')}`);
    else if (!allowed.includes(value)) problem(`compat.${name} must be one of ${allowed.join(', ')}`);
    else compat[name] = value;
  }
  return compat;
}

/**
 * What is set by hand for this model at this endpoint; an entry for the model wins over one for the host. `problem` is told of
 * fields and values that do not exist.
 */
export function compatByHand(settings: CompatSettings, endpoint: string, model: string, problem?: (text: string) => void): Compat {
  const { host, hostname } = new URL(endpoint);
  const names = [hostname, host, endpoint.replace(/\/+$/, ''), model, `${host}/${model}`];
  return Object.assign({}, ...names.map((name) => readCompat((Object.hasOwn(settings, name) && settings[name]) || {}, problem)));
}
