/** Reads a refusal for the parameter it names, and says what to leave out the next time. */
import type { Compat } from './compat.js';
import type { ServerError } from './completion-reader.js';

export interface Lesson {
  change: Compat;
  /** What is done about it, for the person. */
  text: string;
}

const REFUSED_STATUS = new Set([400, 404, 415, 422, 500, 501]);

const UNSUPPORTED =
  /not (support|allow|permit|valid|recogni|accept|available|enabled)|n't support|unsupported|unknown|unrecogni|unexpected|extra (input|field|param)|invalid|no endpoints found|requires|must be|disabled|is deprecated/i;

type Body = Record<string, unknown>;

interface Rule {
  field: keyof Compat;
  /** Was that which is refused in the request at all? */
  sent(body: Body): boolean;
  pattern: RegExp;
  lesson(body: Body, said: string): Lesson;
}

const has = (name: string) => (body: Body) => Object.hasOwn(body, name);
const without = (field: keyof Compat, what: string) => (): Lesson => ({ change: { [field]: false }, text: `${what} is left out` });

const firstRole = (body: Body) => (body['messages'] as { role: string }[] | undefined)?.[0]?.role;

const RULES: Rule[] = [
  {
    field: 'streamOptions',
    sent: has('stream_options'),
    pattern: /stream_options|stream options|include_usage/i,
    lesson: without('streamOptions', 'stream_options (and with it perhaps the usage)'),
  },
  {
    field: 'parallelToolCalls',
    sent: has('parallel_tool_calls'),
    pattern: /parallel_tool_calls|parallel tool/i,
    lesson: () => ({ change: {}, text: 'parallel_tool_calls is left out' }),
  },
  {
    field: 'maxTokensField',
    sent: has('max_tokens'),
    pattern: /max_tokens/i,
    lesson: () => ({ change: { maxTokensField: 'max_completion_tokens' }, text: 'max_completion_tokens is sent instead of max_tokens' }),
  },
  {
    field: 'maxTokensField',
    sent: has('max_completion_tokens'),
    pattern: /max_completion_tokens/i,
    lesson: () => ({ change: { maxTokensField: 'max_tokens' }, text: 'max_tokens is sent instead of max_completion_tokens' }),
  },
  {
    field: 'reasoningEffort',
    sent: has('reasoning_effort'),
    pattern: /reasoning_effort|reasoning effort|thinking/i,
    lesson: without('reasoningEffort', 'reasoning_effort'),
  },
  {
    field: 'responseFormat',
    sent: has('response_format'),
    pattern: /response_format|json_schema|json_object|response format|structured output/i,
    lesson: (body) =>
      (body['response_format'] as { type?: string }).type === 'json_schema'
        ? { change: { responseFormat: 'json_object' }, text: 'json_object is asked for instead of a schema' }
        : { change: { responseFormat: false }, text: 'response_format is left out' },
  },
  {
    field: 'tools',
    sent: has('tools'),
    pattern: /\btools?\b|tool_choice|function.?call/i,
    lesson: () => ({ change: { tools: false }, text: 'the model is asked without tools: it can chat, but it cannot delegate' }),
  },
  {
    field: 'systemRole',
    sent: (body) => firstRole(body) === 'system' || firstRole(body) === 'developer',
    pattern:
      /(system|developer)['"`]? (role|message|instruction|prompt)|role['"`]?[^.]{0,40}(system|developer)|(system|developer)[^.]{0,40}\brole/i,
    lesson: (body, said) => {
      const role = firstRole(body) === 'system' && /developer/i.test(said) ? 'developer' : 'user';
      return {
        change: { systemRole: role },
        text: role === 'user' ? 'the system prompt goes into the first question' : 'it goes out under the role developer',
      };
    },
  },
  {
    field: 'alternate',
    sent: () => true,
    pattern: /alternat/i,
    lesson: () => ({ change: { alternate: true }, text: 'user and assistant turns are made to alternate' }),
  },
  {
    field: 'images',
    sent: (body) => JSON.stringify(body['messages']).includes('"image_url"'),
    pattern: /image|vision|multimodal|multi-modal/i,
    lesson: without('images', 'every image'),
  },
  {
    field: 'stream',
    sent: (body) => body['stream'] === true,
    pattern: /\bstream(ing|ed)?\b/i,
    lesson: () => ({ change: { stream: false }, text: 'the answer is asked for in one piece' }),
  },
];

/** DeepSeek and its like: some want the reasoning of earlier turns back, some refuse it. */
function reasoningLesson(body: Body, said: string): Lesson | undefined {
  if (!/reasoning_content|\breasoning\b field/i.test(said)) return undefined;
  const sends = JSON.stringify(body['messages']).includes('"reasoning');
  if (/must|missing|required|need|pass(ed)? back/i.test(said))
    return { change: { reasoningBack: 'all' }, text: 'reasoning is given back with every turn' };
  return sends ? { change: { reasoningBack: false }, text: 'earlier reasoning is left out' } : undefined;
}

/**
 * What a refusal teaches, or nothing where it names no parameter that was sent. `isByHand`: fields that the person has set,
 * and that are therefore left as they are.
 */
export function lessonOf(status: number, error: ServerError, body: Body, isByHand: (field: keyof Compat) => boolean): Lesson | undefined {
  if (!REFUSED_STATUS.has(status)) return undefined;
  // A path such as tools[0].function is about a part of it: leaving out the whole would be too much.
  const param = /^\w+$/.test(error.param ?? '') ? error.param : '';
  const said = `${error.message} ${error.code ?? ''} ${param}`;
  const reasoning = isByHand('reasoningBack') ? undefined : reasoningLesson(body, said);
  if (reasoning) return reasoning;
  if (!UNSUPPORTED.test(said) && !/alternat/i.test(said)) return undefined;
  const rule = RULES.find((one) => one.sent(body) && !isByHand(one.field) && one.pattern.test(said));
  return rule?.lesson(body, said);
}
