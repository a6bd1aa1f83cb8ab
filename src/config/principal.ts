/** A principal is the main agent or one specialist: who asks which model, at which endpoint, with which key. */

/** Where a value came from, strongest first. */
export type SourceKind = 'flag' | 'environment' | 'env-file' | 'project' | 'user' | 'profile' | 'parent' | 'discovered' | 'default';

export interface Source {
  kind: SourceKind;
  /** The variable or flag. */
  name?: string;
  file?: string;
  line?: number;
}

/** A key held by name. `value` goes into one request header and nowhere else; JSON and string conversion show the name. */
export class Key {
  readonly #value: string;
  readonly name: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.#value = value;
  }

  /** The secret itself, for the Authorization header of a request to the endpoint it was given for. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return `<${this.name}>`;
  }

  toJSON(): string {
    return `<${this.name}>`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `<${this.name}>`;
  }
}

/** What a principal resolved to. `model` is absent where only the endpoint can tell (its one listed model). */
export interface Principal {
  /** `main`, or the specialist's name. */
  name: string;
  /** Base URL without a trailing slash, as the user gave it otherwise. */
  endpoint: string;
  endpointSource: Source;
  /** `host:port`, for people. */
  host: string;
  model?: string;
  modelSource?: Source;
  /** Absent for an endpoint that needs none. */
  key?: Key;
  keySource?: Source;
}
