/** What of a history goes over the wire: system prompt first, trimmed, and always valid. */
import type { Message } from '../llm/messages.js';
import { formInstruction } from './answer-form.js';
import type { Bill } from './bill.js';
import type { Emit } from './events.js';
import { repairHistory } from './repair.js';
import type { AgentSetup } from './setup.js';
import { trimHistory } from './trim.js';

export interface ContextPorts {
  setup: AgentSetup;
  history: Message[];
  signal: AbortSignal;
  emit: Emit;
  bill: Bill;
}

export class ContextKeeper {
  readonly #ports: ContextPorts;

  constructor(ports: ContextPorts) {
    this.#ports = ports;
  }

  async outgoing(): Promise<Message[]> {
    const { setup, history } = this.#ports;
    return repairHistory(trimHistory([this.#system(), ...history], setup.context ?? {}));
  }

  #system(): Message {
    const { system, form } = this.#ports.setup;
    return { role: 'system', content: system + formInstruction(form) };
  }
}
