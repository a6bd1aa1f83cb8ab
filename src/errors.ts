/**
 * The one vocabulary of failure. A failure has a kind, a sentence for the person (what happened, to which agent, at which
 * host or file, what to do next) and facts for the developer; the kind decides the exit code (the table in README.md).
 */

const EXIT_CODES = {
  failed: 1,
  bad_request: 1,
  protocol: 1,
  incomplete: 1,
  content_filter: 1,
  refusal: 1,
  context_length: 1,
  usage: 2,
  form: 3,
  empty: 3,
  denied: 4,
  untrusted: 4,
  limit: 5,
  specialist: 6,
  input_unreadable: 65,
  input_missing: 66,
  unavailable: 69,
  rate_limited: 75,
  auth: 77,
  config: 78,
  model_not_found: 78,
  wrong_endpoint: 78,
  timeout: 124,
  hangup: 129,
  interrupted: 130,
  broken_pipe: 141,
  terminated: 143,
} as const;

export type ErrorKind = keyof typeof EXIT_CODES;

/** Values that help a developer: status codes, hosts, limits. Never a key's value. */
export type ErrorFacts = Record<string, string | number | boolean | undefined>;

/** A failure as data: what events, results and session records carry. */
export interface Failure {
  kind: ErrorKind;
  /** One sentence or two, without a stack, ready for stderr. */
  message: string;
  facts?: ErrorFacts;
}

/** The process exit status for a kind of failure. */
export function exitCodeOf(kind: ErrorKind): number {
  return EXIT_CODES[kind];
}

/** A failure as an exception, for code above the agent; below it failures travel as data. */
export class FrostError extends Error {
  override readonly name: string = 'FrostError';
  readonly kind: ErrorKind;
  readonly facts: ErrorFacts;

  constructor(kind: ErrorKind, message: string, facts: ErrorFacts = {}, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.facts = facts;
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }

  toFailure(): Failure {
    return { kind: this.kind, message: this.message, ...(Object.keys(this.facts).length > 0 && { facts: this.facts }) };
  }
}

/** Any thrown value as a failure; what is not a FrostError is of the kind `failed`. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof FrostError) return thrown.toFailure();
  return { kind: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) };
}
