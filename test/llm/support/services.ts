/**
 * Streams as real services write them, put together from what each documents of its own format (`source`); names and numbers are
 * made up, the peculiarities are not.
 */
import { DONE, data } from './frames.js';

export interface ServiceRecording {
  service: string;
  /** Where the format is documented. */
  source: string;
  /** What is peculiar to it. */
  shows: string;
  sse: string[];
  status?: number;
  expected: {
    reason: string;
    text?: string;
    reasoning?: string;
    calls?: [name: string, args: unknown][];
    usage?: Record<string, number>;
    error?: RegExp;
  };
}

const chunks = (
  base: Record<string, unknown>,
  choices: (Record<string, unknown> | null)[],
  last: Record<string, unknown>[] = [],
): string[] => [
  ...choices.map((choice) =>
    data({ object: 'chat.completion.chunk', created: 1760000000, ...base, choices: choice === null ? [] : [{ index: 0, ...choice }] }),
  ),
  ...last.map((more) => data({ object: 'chat.completion.chunk', created: 1760000000, ...base, choices: [], ...more })),
];

const fn = (name: string | undefined, args: unknown, head: Record<string, unknown> = {}) => ({
  tool_calls: [{ type: 'function', ...head, function: { ...(name !== undefined && { name }), arguments: args } }],
});

const WEATHER: [string, unknown][] = [['get_weather', { city: 'Oslo' }]];

export const RECORDINGS: ServiceRecording[] = [
  {
    service: 'Ollama',
    source: 'https://docs.ollama.com/api/openai-compatibility',
    shows: 'a whole call in one delta, then an empty delta with the finish reason',
    sse: [
      ...chunks(
        { id: 'chatcmpl-376', model: 'llama3.2', system_fingerprint: 'fp_ollama' },
        [
          {
            delta: { role: 'assistant', content: '', ...fn('get_weather', '{"city":"Oslo"}', { index: 0, id: 'call_px63ad04' }) },
            finish_reason: null,
          },
          { delta: { role: 'assistant', content: '' }, finish_reason: 'tool_calls' },
        ],
        [{ usage: { prompt_tokens: 172, completion_tokens: 27, total_tokens: 199 } }],
      ),
      DONE,
    ],
    expected: { reason: 'tool_calls', calls: WEATHER, usage: { inputTokens: 172, outputTokens: 27 } },
  },
  {
    service: 'Ollama',
    source: 'https://docs.ollama.com/capabilities/thinking',
    shows: 'the thinking of a model in the field reasoning',
    sse: [
      ...chunks({ id: 'chatcmpl-7', model: 'qwen3', system_fingerprint: 'fp_ollama' }, [
        { delta: { role: 'assistant', content: '', reasoning: 'A greeting' }, finish_reason: null },
        { delta: { role: 'assistant', content: '', reasoning: ' is due.' }, finish_reason: null },
        { delta: { role: 'assistant', content: 'Hello' }, finish_reason: null },
        { delta: { role: 'assistant', content: '' }, finish_reason: 'stop' },
      ]),
      DONE,
    ],
    expected: { reason: 'stop', text: 'Hello', reasoning: 'A greeting is due.' },
  },
  {
    service: 'vLLM',
    source: 'https://docs.vllm.ai/en/latest/features/tool_calling.html',
    shows: 'a call in pieces, a usage frame without choices, stop_reason beside the finish reason',
    sse: [
      ...chunks(
        { id: 'chatcmpl-b9a1', model: 'Qwen/Qwen3-8B' },
        [
          { delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null },
          { delta: fn('get_weather', undefined, { id: 'chatcmpl-tool-5f', index: 0 }), logprobs: null, finish_reason: null },
          { delta: { tool_calls: [{ index: 0, function: { arguments: '{"city": ' } }] }, logprobs: null, finish_reason: null },
          { delta: { tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }, logprobs: null, finish_reason: null },
          { delta: { content: '' }, logprobs: null, finish_reason: 'tool_calls', stop_reason: null },
        ],
        [{ usage: { prompt_tokens: 20, total_tokens: 38, completion_tokens: 18 } }],
      ),
      DONE,
    ],
    expected: { reason: 'tool_calls', calls: WEATHER, usage: { inputTokens: 20, outputTokens: 18 } },
  },
  {
    service: 'vLLM',
    source: 'https://docs.vllm.ai/en/latest/features/reasoning_outputs.html',
    shows: 'reasoning in both of its fields',
    sse: [
      ...chunks({ id: 'chatcmpl-c1', model: 'deepseek-r1' }, [
        { delta: { role: 'assistant', content: '' }, finish_reason: null },
        { delta: { reasoning_content: 'Nine', reasoning: 'Nine' }, finish_reason: null },
        { delta: { content: '9.8 is greater.' }, finish_reason: null },
        { delta: { content: '' }, finish_reason: 'stop', stop_reason: null },
      ]),
      DONE,
    ],
    expected: { reason: 'stop', text: '9.8 is greater.', reasoning: 'Nine' },
  },
  {
    service: 'LM Studio',
    source: 'https://lmstudio.ai/docs/developer/openai-compat/tools',
    shows: 'a number as the id, the name in a first delta and the arguments after it',
    sse: [
      ...chunks({ id: 'chatcmpl-lms', model: 'qwen2.5-7b-instruct', system_fingerprint: 'qwen2.5-7b-instruct' }, [
        { delta: { role: 'assistant', ...fn('get_weather', '', { index: 0, id: '365174485' }) }, logprobs: null, finish_reason: null },
        {
          delta: { tool_calls: [{ index: 0, type: 'function', function: { name: '', arguments: '{"city":"' } }] },
          logprobs: null,
          finish_reason: null,
        },
        {
          delta: { tool_calls: [{ index: 0, type: 'function', function: { name: '', arguments: 'Oslo"}' } }] },
          logprobs: null,
          finish_reason: null,
        },
        { delta: {}, logprobs: null, finish_reason: 'tool_calls' },
      ]),
      DONE,
    ],
    expected: { reason: 'tool_calls', calls: WEATHER },
  },
  {
    service: 'LM Studio',
    source: 'https://lmstudio.ai/docs/developer/openai-compat',
    shows: 'an unknown address answered with 200 and an error',
    sse: [data({ error: 'Unexpected endpoint or method. (POST /chat/completions). Returning 200 anyway' })],
    expected: { reason: 'error', error: /Unexpected endpoint or method/ },
  },
  {
    service: 'llama.cpp',
    source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
    shows: 'null content first, timings beside the usage',
    sse: [
      ...chunks(
        { id: 'chatcmpl-Zx', model: 'gpt-3.5-turbo', system_fingerprint: 'b6000-abc' },
        [
          { finish_reason: null, delta: { role: 'assistant', content: null } },
          { finish_reason: null, delta: { reasoning_content: 'Easy.' } },
          { finish_reason: null, delta: { content: 'Hi' } },
          { finish_reason: 'stop', delta: {} },
        ],
        [{ usage: { completion_tokens: 3, prompt_tokens: 11, total_tokens: 14 }, timings: { prompt_n: 11, predicted_per_second: 40.2 } }],
      ),
      DONE,
    ],
    expected: { reason: 'stop', text: 'Hi', reasoning: 'Easy.', usage: { inputTokens: 11, outputTokens: 3 } },
  },
  {
    service: 'llama.cpp',
    source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
    shows: 'a prompt that does not fit',
    status: 400,
    sse: [
      JSON.stringify({
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 9000,
          n_ctx: 4096,
        },
      }),
    ],
    expected: { reason: 'error', error: /too long/ },
  },
  {
    service: 'DeepSeek',
    source: 'https://api-docs.deepseek.com/guides/thinking_mode',
    shows: 'keep-alive comments, reasoning_content beside null content, the cached part of the input',
    sse: [
      ': keep-alive\n\n',
      ...chunks({ id: 'ds-1', model: 'deepseek-chat', system_fingerprint: 'fp_1' }, [
        { delta: { role: 'assistant', content: null, reasoning_content: '' }, logprobs: null, finish_reason: null },
        { delta: { content: null, reasoning_content: 'Look it up.' }, logprobs: null, finish_reason: null },
        { delta: fn('get_weather', '', { index: 0, id: 'call_00_ab' }), logprobs: null, finish_reason: null },
        { delta: { tool_calls: [{ index: 0, function: { arguments: '{"city": "Oslo"}' } }] }, logprobs: null, finish_reason: null },
      ]),
      ': keep-alive\n\n',
      ...chunks({ id: 'ds-1', model: 'deepseek-chat' }, [
        { delta: { content: '', reasoning_content: null }, logprobs: null, finish_reason: 'tool_calls' },
      ]).map((text) =>
        text.replace(
          '"choices"',
          '"usage":{"prompt_tokens":300,"completion_tokens":40,"prompt_cache_hit_tokens":256,"prompt_cache_miss_tokens":44,"completion_tokens_details":{"reasoning_tokens":12}},"choices"',
        ),
      ),
      DONE,
    ],
    expected: {
      reason: 'tool_calls',
      calls: WEATHER,
      reasoning: 'Look it up.',
      usage: { inputTokens: 300, cachedTokens: 256, outputTokens: 40, reasoningTokens: 12 },
    },
  },
  {
    service: 'DeepSeek',
    source: 'https://api-docs.deepseek.com/api/create-chat-completion',
    shows: 'the finish reason insufficient_system_resource',
    sse: [
      ...chunks({ id: 'ds-2', model: 'deepseek-chat' }, [
        { delta: { content: 'Once' }, finish_reason: null },
        { delta: { content: '' }, finish_reason: 'insufficient_system_resource' },
      ]),
      DONE,
    ],
    expected: { reason: 'error', text: 'Once', error: /insufficient_system_resource/ },
  },
  {
    service: 'DashScope',
    source: 'https://help.aliyun.com/zh/model-studio/qwen-function-calling',
    shows: 'an empty id and name in every further piece of a call',
    sse: [
      ...chunks(
        { id: 'chatcmpl-qw', model: 'qwen-plus', system_fingerprint: null },
        [
          { delta: { content: null, role: 'assistant', reasoning_content: 'Weather?' }, finish_reason: null },
          {
            delta: { content: null, reasoning_content: null, ...fn('get_weather', '', { index: 0, id: 'call_8f08' }) },
            finish_reason: null,
          },
          {
            delta: { content: null, tool_calls: [{ index: 0, id: '', type: 'function', function: { name: '', arguments: '{"city":' } }] },
            finish_reason: null,
          },
          {
            delta: { content: null, tool_calls: [{ index: 0, id: '', type: 'function', function: { name: null, arguments: ' "Oslo"}' } }] },
            finish_reason: null,
          },
          { delta: { content: '', tool_calls: null }, finish_reason: 'tool_calls' },
        ],
        [{ usage: { prompt_tokens: 150, completion_tokens: 21, total_tokens: 171, prompt_tokens_details: { cached_tokens: 0 } } }],
      ),
      DONE,
    ],
    expected: {
      reason: 'tool_calls',
      calls: WEATHER,
      reasoning: 'Weather?',
      usage: { inputTokens: 150, cachedTokens: 0, outputTokens: 21 },
    },
  },
  {
    service: 'OpenRouter',
    source: 'https://openrouter.ai/docs/api-reference/streaming',
    shows: 'comments while it waits, reasoning with details beside it, cost in the usage',
    sse: [
      ': OPENROUTER PROCESSING\n\n',
      ': OPENROUTER PROCESSING\n\n',
      ...chunks({ id: 'gen-1', provider: 'Z.AI', model: 'z-ai/glm' }, [
        {
          delta: { role: 'assistant', content: '', reasoning: 'Short.', reasoning_details: [{ type: 'reasoning.text', text: 'Short.' }] },
          finish_reason: null,
          native_finish_reason: null,
        },
        { delta: { role: 'assistant', content: 'Yes' }, finish_reason: null, native_finish_reason: null },
        { delta: { role: 'assistant', content: '' }, finish_reason: 'stop', native_finish_reason: 'stop' },
      ]),
      data({
        id: 'gen-1',
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
        usage: { prompt_tokens: 8, completion_tokens: 5, cost: 0.0001 },
      }),
      DONE,
    ],
    expected: { reason: 'stop', text: 'Yes', reasoning: 'Short.', usage: { inputTokens: 8, outputTokens: 5 } },
  },
  {
    service: 'OpenRouter',
    source: 'https://openrouter.ai/docs/api/reference/errors-and-debugging',
    shows: 'an error of the provider in mid-stream, with status 200',
    sse: [
      ...chunks({ id: 'gen-2', provider: 'x' }, [{ delta: { content: 'par' }, finish_reason: null }]),
      data({
        id: 'gen-2',
        object: 'chat.completion.chunk',
        provider: 'x',
        error: { code: 'server_error', message: 'Provider disconnected unexpectedly' },
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
      }),
    ],
    expected: { reason: 'error', text: 'par', error: /Provider disconnected unexpectedly/ },
  },
  {
    service: 'Mistral',
    source: 'https://docs.mistral.ai/capabilities/reasoning',
    shows: 'content as typed parts, a padding field, the finish reason in the last delta with text',
    sse: [
      ...chunks({ id: 'm1', model: 'magistral-medium-latest' }, [
        { delta: { role: 'assistant', content: '' }, finish_reason: null },
        { delta: { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Sum' }] }] }, finish_reason: null },
        {
          delta: {
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: ' up.' }] },
              { type: 'text', text: 'The' },
            ],
          },
          finish_reason: null,
        },
        { delta: { content: ' sum is 4' }, finish_reason: 'stop' },
      ]).map((text) => text.replace('"object"', '"p":"abcdefgh","object"')),
      DONE,
    ],
    expected: { reason: 'stop', text: 'The sum is 4', reasoning: 'Sum up.' },
  },
  {
    service: 'Mistral',
    source: 'https://docs.mistral.ai/capabilities/function_calling',
    shows: 'a whole call in the last delta, its id nine characters, without type',
    sse: [
      ...chunks({ id: 'm2', model: 'mistral-large-latest' }, [
        { delta: { role: 'assistant', content: '' }, finish_reason: null },
        {
          delta: {
            content: '',
            tool_calls: [{ id: 'D681PevKs', function: { name: 'get_weather', arguments: '{"city": "Oslo"}' }, index: 0 }],
          },
          finish_reason: 'tool_calls',
        },
      ]).map((text, at) =>
        at === 1 ? text.replace('"choices"', '"usage":{"prompt_tokens":94,"total_tokens":124,"completion_tokens":30},"choices"') : text,
      ),
      DONE,
    ],
    expected: { reason: 'tool_calls', calls: WEATHER, usage: { inputTokens: 94, outputTokens: 30 } },
  },
  {
    service: 'Azure',
    source: 'https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming',
    shows: 'a first frame with filter results and no choices, filter frames between',
    sse: [
      data({
        choices: [],
        created: 0,
        id: '',
        model: '',
        object: '',
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: 'safe' } } }],
      }),
      ...chunks({ id: 'chatcmpl-az', model: 'gpt-4o', system_fingerprint: null, usage: null }, [
        { delta: { role: 'assistant', content: '', refusal: null }, content_filter_results: {}, finish_reason: null, logprobs: null },
        {
          delta: { content: 'Hello' },
          content_filter_results: { hate: { filtered: false, severity: 'safe' } },
          finish_reason: null,
          logprobs: null,
        },
      ]),
      data({
        id: '',
        object: '',
        created: 0,
        model: '',
        choices: [
          {
            index: 0,
            finish_reason: null,
            content_filter_results: {},
            content_filter_offsets: { check_offset: 44, start_offset: 44, end_offset: 198 },
          },
        ],
      }),
      ...chunks({ id: 'chatcmpl-az', model: 'gpt-4o' }, [{ delta: {}, content_filter_results: {}, finish_reason: 'stop', logprobs: null }]),
      DONE,
    ],
    expected: { reason: 'stop', text: 'Hello' },
  },
  {
    service: 'Azure',
    source: 'https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter',
    shows: 'an answer that the content filter stops',
    sse: [
      ...chunks({ id: 'chatcmpl-az', model: 'gpt-4o' }, [
        { delta: { content: 'One' }, finish_reason: null },
        { delta: {}, finish_reason: 'content_filter', content_filter_results: { violence: { filtered: true, severity: 'high' } } },
      ]),
      DONE,
    ],
    expected: { reason: 'content_filter', text: 'One', error: /content filter/ },
  },
  {
    service: 'Groq',
    source: 'https://console.groq.com/docs/api-reference',
    shows: 'the usage in x_groq of the last frame',
    sse: [
      ...chunks({ id: 'gq', model: 'llama-3.3-70b' }, [{ delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }]),
      data({
        id: 'gq',
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        x_groq: { id: 'req_1', usage: { prompt_tokens: 12, completion_tokens: 2 } },
      }),
      DONE,
    ],
    expected: { reason: 'stop', text: 'Hi', usage: { inputTokens: 12, outputTokens: 2 } },
  },
  {
    service: 'Gemini',
    source: 'https://ai.google.dev/gemini-api/docs/openai',
    shows: 'errors as a list, with a status that is a word',
    status: 400,
    sse: [
      JSON.stringify([{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }]),
    ],
    expected: { reason: 'error', error: /API key not valid/ },
  },
];
