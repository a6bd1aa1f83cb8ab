/** Durations, tokens and USD in few characters. */
import type { Usage } from '../llm/port.js';

export function seconds(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 59_500) return `${Math.round(ms / 1000)} s`;
  const whole = Math.round(ms / 1000);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `1,030 in, 510 out`, or that it is not known. */
export function tokens(usage: Usage | undefined): string {
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return 'tokens unknown';
  const shown = (count: number | undefined) => (count === undefined ? 'unknown' : count.toLocaleString('en-US'));
  return `${shown(usage.inputTokens)} in, ${shown(usage.outputTokens)} out`;
}

/** USD, never zero for what is not known. */
export function cost(usd: number | undefined): string {
  if (usd === undefined) return 'cost unknown';
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}
