/** What a run uses, per principal. Tokens and USD; what is unknown stays unknown and is never counted as zero. */
import type { Usage } from '../llm/port.js';
import type { PrincipalBill } from './events.js';

/** USD per million tokens. */
export interface Price {
  input: number;
  output: number;
  /** Input tokens served from the endpoint's cache; default: as `input`. */
  cached?: number;
}

const sum = (a: number | undefined, b: number | undefined) => (a === undefined ? b : b === undefined ? a : a + b);

/** The sum of two usages; a field that neither knows stays absent. */
export function addUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  const fields = ['inputTokens', 'cachedTokens', 'outputTokens', 'reasoningTokens'] as const;
  const entries = fields.map((field) => [field, sum(a[field], b[field])] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Usage;
}

/** Input and output tokens together, or undefined where neither is known. */
export function tokensOf(usage: Usage | undefined): number | undefined {
  return sum(usage?.inputTokens, usage?.outputTokens);
}

/** USD for one request, or undefined where the price or the usage is not known. */
export function costOf(usage: Usage | undefined, price: Price | undefined): number | undefined {
  if (!price || usage?.inputTokens === undefined || usage.outputTokens === undefined) return undefined;
  const cached = Math.min(usage.cachedTokens ?? 0, usage.inputTokens);
  const input = (usage.inputTokens - cached) * price.input + cached * (price.cached ?? price.input);
  return (input + usage.outputTokens * price.output) / 1e6;
}

interface Account extends PrincipalBill {
  /** True where some request's cost could not be told. */
  costIncomplete: boolean;
}

/** Adds up requests by principal, model and host. */
export class Bill {
  #accounts = new Map<string, Account>();

  record(principal: string, model: string, host: string, usage: Usage | undefined, cost: number | undefined): void {
    const id = JSON.stringify([principal, model, host]);
    const account = this.#accounts.get(id) ?? { principal, model, host, requests: 0, costIncomplete: false };
    account.requests += 1;
    const total = addUsage(account.usage, usage);
    if (total) account.usage = total;
    if (!usage) account.usageIncomplete = true;
    if (cost === undefined) account.costIncomplete = true;
    else account.cost = (account.cost ?? 0) + cost;
    this.#accounts.set(id, account);
  }

  /** One line for each principal at each of its models; `cost` only where every request's cost is known. */
  get principals(): PrincipalBill[] {
    return [...this.#accounts.values()].map(({ costIncomplete, cost, ...account }) => ({
      ...account,
      ...(cost !== undefined && !costIncomplete && { cost }),
    }));
  }

  get usage(): Usage | undefined {
    return this.principals.reduce<Usage | undefined>((total, { usage }) => addUsage(total, usage), undefined);
  }

  /** USD of the whole, or undefined where any part is unknown. */
  get cost(): number | undefined {
    const { principals } = this;
    if (principals.length === 0 || principals.some(({ cost }) => cost === undefined)) return undefined;
    return principals.reduce((total, { cost }) => total + (cost ?? 0), 0);
  }
}
