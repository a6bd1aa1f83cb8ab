/** A model at a chat completions endpoint: what is known of it, and where it answers. */
import { AnswerRun } from './answer-run.js';
import { Capabilities } from './capabilities.js';
import { type Base, basesOf, type ConnectionOptions, hostOf } from './connection.js';
import type { Model, ModelEvent, ModelRequest } from './port.js';
import { createSdk, type Sdk } from './sdk.js';

export class ChatModel implements Model {
  readonly name: string;
  readonly host: string;
  readonly connection: ConnectionOptions;
  readonly capabilities: Capabilities;
  readonly bases: [Base, ...Base[]];
  #sdk: Sdk | undefined;

  constructor(connection: ConnectionOptions, name: string) {
    this.name = name;
    this.connection = connection;
    this.host = hostOf(connection.endpoint);
    this.bases = basesOf(connection.endpoint);
    this.capabilities = new Capabilities(connection.compat ?? {}, connection.capabilityFile, connection.endpoint, name);
  }

  get sdk(): Sdk {
    this.#sdk ??= createSdk(this.connection);
    return this.#sdk;
  }

  get base(): Base {
    return this.bases[this.capabilities.base] ?? this.bases[0];
  }

  stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    return new AnswerRun(this, request).events();
  }
}
