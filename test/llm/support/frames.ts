/** Frames of a chat completion stream, as servers write them. */

type Choice = { delta?: unknown; finish_reason?: string | null; [field: string]: unknown };

export const data = (value: unknown): string => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;

export const frame = (choice: Choice, more: Record<string, unknown> = {}): string =>
  data({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'mock',
    choices: [{ index: 0, finish_reason: null, ...choice }],
    ...more,
  });

/** A frame with this delta. */
export const delta = (value: unknown): string => frame({ delta: value });

export const finish = (reason: string): string => frame({ delta: {}, finish_reason: reason });

export const DONE = 'data: [DONE]\n\n';

/** Deltas, a finish reason and `[DONE]`. */
export const answer = (deltas: unknown[], reason = 'stop'): string[] => [...deltas.map(delta), finish(reason), DONE];
