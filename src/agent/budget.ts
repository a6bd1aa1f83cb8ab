/**
 * Limits while they are being used up. A child's budget has its parent's above it: what the child spends counts for both,
 * and what it may spend is set aside in the parent before it starts, so that children side by side cannot overspend together.
 */
import type { Usage } from '../llm/port.js';
import type { Limits } from '../profiles/profile.js';
import { tokensOf } from './bill.js';
import type { LimitName } from './events.js';

type Amount = 'tokens' | 'cost';

const AMOUNTS: Amount[] = ['tokens', 'cost'];

/** A child without a bound of its own gets this share of what its parent has left, so that others can start beside it. */
const SHARE = 0.5;

/** At this share of a bound the user is warned, once. */
const WARN_AT = 0.8;

export interface Exceeded {
  limit: LimitName;
  /** The bound: requests, tokens, USD or seconds. */
  bound: number;
}

export class Budget {
  readonly limits: Limits;
  turns = 0;
  #spent: Record<Amount, number> = { tokens: 0, cost: 0 };
  #reserved: Record<Amount, number> = { tokens: 0, cost: 0 };
  #parent: Budget | undefined;
  /** What the parent still holds back for this budget; it shrinks as it is spent, so that nothing counts twice. */
  #held: Record<Amount, number> = { tokens: 0, cost: 0 };
  #startedAt = Date.now();
  #warned = new Set<string>();

  constructor(limits: Limits, parent?: Budget) {
    this.limits = limits;
    this.#parent = parent;
  }

  /** Counts one finished request here and in every budget above. */
  spend(usage: Usage | undefined, cost: number | undefined): void {
    const amounts: Record<Amount, number> = { tokens: tokensOf(usage) ?? 0, cost: cost ?? 0 };
    for (const amount of AMOUNTS) {
      this.#spent[amount] += amounts[amount];
      this.#giveBack(amount, amounts[amount]);
    }
    this.#parent?.spend(usage, cost);
  }

  #giveBack(amount: Amount, most: number): void {
    const freed = Math.min(this.#held[amount], most);
    this.#held[amount] -= freed;
    if (this.#parent) this.#parent.#reserved[amount] -= freed;
  }

  #left(amount: Amount): number {
    const bound = this.limits[amount];
    const own = bound === undefined ? Number.POSITIVE_INFINITY : bound - this.#spent[amount] - this.#reserved[amount];
    return Math.max(0, own);
  }

  /** Milliseconds until the time bound of this budget, or undefined without one. */
  get msLeft(): number | undefined {
    return this.limits.seconds === undefined ? undefined : Math.max(0, this.#startedAt + this.limits.seconds * 1000 - Date.now());
  }

  /** The first bound that leaves no room for another request; `tokens` estimates its input where that is asked. */
  exceeded(tokens: () => number = () => 0): Exceeded | undefined {
    const { turns, seconds } = this.limits;
    if (turns !== undefined && this.turns >= turns) return { limit: 'turns', bound: turns };
    if (seconds !== undefined && this.msLeft === 0) return { limit: 'seconds', bound: seconds };
    for (const limit of AMOUNTS) {
      const bound = this.limits[limit];
      if (bound === undefined) continue;
      const needed = limit === 'tokens' ? tokens() : 0;
      if (this.#spent[limit] + needed >= bound) return { limit, bound };
    }
    return undefined;
  }

  /** A bound that has just come near, for one warning each. */
  nearing(): Exceeded | undefined {
    const used: Record<'turns' | Amount, number> = { turns: this.turns, ...this.#spent };
    for (const limit of ['tokens', 'cost'] as const) {
      const bound = this.limits[limit];
      if (bound === undefined || this.#warned.has(limit) || used[limit] < bound * WARN_AT) continue;
      this.#warned.add(limit);
      return { limit, bound };
    }
    return undefined;
  }

  /**
   * A budget for a child: its own limits within what is left here, set aside until `release`; the bound that leaves nothing,
   * where one does. A child that is `alone`, since the whole run is its work, may have all of it.
   */
  reserve(limits: Limits, alone = false): { budget: Budget; release: () => void } | Exceeded {
    const granted: Limits = { ...limits };
    const held: Record<Amount, number> = { tokens: 0, cost: 0 };
    for (const amount of AMOUNTS) {
      const left = this.#left(amount);
      if (left === Number.POSITIVE_INFINITY) continue;
      if (left <= 0) return { limit: amount, bound: this.limits[amount] ?? 0 };
      const part = alone ? left : left * SHARE;
      const share = amount === 'tokens' ? Math.ceil(part) : part;
      held[amount] = Math.min(limits[amount] ?? share, left);
      granted[amount] = held[amount];
    }
    const { msLeft } = this;
    if (msLeft !== undefined) granted.seconds = Math.min(limits.seconds ?? Number.POSITIVE_INFINITY, msLeft / 1000);
    for (const amount of AMOUNTS) this.#reserved[amount] += held[amount];
    const budget = new Budget(granted, this);
    budget.#held = held;
    const release = () => {
      for (const amount of AMOUNTS) budget.#giveBack(amount, Number.POSITIVE_INFINITY);
    };
    return { budget, release };
  }
}

const UNITS: Record<Exclude<LimitName, 'turns'>, string> = {
  tokens: 'tokens',
  cost: 'USD',
  seconds: 'seconds',
  depth: 'levels',
  loop: '',
};

/** A limit in words: «25 model requests». */
export function limitText({ limit, bound }: Exceeded): string {
  if (limit === 'turns') return requestsText(bound);
  if (limit === 'seconds') return secondsText(bound);
  return `${limit === 'cost' ? Number(bound.toPrecision(4)) : bound} ${UNITS[limit]}`;
}

export function secondsText(seconds: number): string {
  const rounded = Math.round(seconds * 10) / 10;
  return `${rounded} second${rounded === 1 ? '' : 's'}`;
}

export function requestsText(count: number): string {
  return `${count} model request${count === 1 ? '' : 's'}`;
}
