/** Short facts for people: durations, tokens, money. */
import type { Say } from './lang/lang.js';
import type { Spent } from './view-state.js';

/** `ms` as 0.4 s, 12 s, 3 m 05 s, 1 h 02 m. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} m`;
}

/** Elapsed time that moves once a second. */
export function elapsed(ms: number): string {
  return duration(Math.max(10_000, ms)) === duration(10_000) && ms < 10_000 ? `${Math.floor(Math.max(0, ms) / 1000)} s` : duration(ms);
}

/** 950, 1.2k, 34k, 1.5M */
export function count(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens));
  if (tokens < 999_500) return `${(tokens / 1000).toFixed(tokens < 9950 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** USD, with as many digits as say something. */
export function money(cost: number): string {
  if (cost === 0) return '$0';
  if (cost < 0.0001) return '<$0.0001';
  if (cost < 0.01) return `$${cost.toFixed(4)}`;
  return `$${cost.toFixed(cost < 1 ? 3 : 2)}`;
}

/** What was spent, or that the price is not known: an unknown price is never shown as nothing. */
export function costOf(spent: Pick<Spent, 'cost' | 'unknownCost' | 'requests'>, say: Say): string {
  if (!spent.unknownCost) return money(spent.cost);
  return spent.cost > 0 ? `${money(spent.cost)} + ?` : say('cost.unknown');
}

/** `1.2k tokens`; nothing where the endpoint reports none. */
export function tokenWords(spent: Pick<Spent, 'inputTokens' | 'outputTokens'>, say: Say): string {
  const tokens = tokensOf(spent);
  return tokens === 0 ? '' : say('tokens', { count: count(tokens) });
}

export const tokensOf = (spent: Pick<Spent, 'inputTokens' | 'outputTokens'>): number => spent.inputTokens + spent.outputTokens;
