import type { Usage } from './port.js';

type Fields = Record<string, unknown>;

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/** The usage object of a frame, or undefined where it says nothing (all zero counts as nothing). */
export function readUsage(value: unknown): Usage | undefined {
  const usage = fields(value);
  const inputTokens = count(usage['prompt_tokens']) ?? count(usage['input_tokens']);
  const outputTokens = count(usage['completion_tokens']) ?? count(usage['output_tokens']);
  if (!inputTokens && !outputTokens) return undefined;
  const prompt = fields(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  const completion = fields(usage['completion_tokens_details'] ?? usage['output_tokens_details']);
  const cachedTokens = count(prompt['cached_tokens']) ?? count(usage['prompt_cache_hit_tokens']);
  const reasoningTokens = count(completion['reasoning_tokens']);
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  };
}

/** The sum of two requests' usage; a field that neither reported stays absent. */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  const sum: Usage = { ...a };
  for (const name of ['inputTokens', 'cachedTokens', 'outputTokens', 'reasoningTokens'] as const) {
    const value = b[name];
    if (value !== undefined) sum[name] = (sum[name] ?? 0) + value;
  }
  return sum;
}
