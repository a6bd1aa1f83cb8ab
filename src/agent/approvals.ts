/** Questions for permission that a person answers while the tool call waits. */
import type { ApprovalAnswer } from '../permissions/access.js';
import type { GateQuestion } from '../permissions/gate.js';
import type { NewEvent } from './events.js';
import { newId } from './ids.js';

export class Approvals {
  #open = new Map<string, (answer: ApprovalAnswer) => void>();
  #emit: (event: NewEvent) => void = () => {};

  /** Where the questions go. */
  connect(emit: (event: NewEvent) => void): void {
    this.#emit = emit;
  }

  /** Asks, and waits for `answer`; an abort answers no. */
  async ask(question: GateQuestion): Promise<ApprovalAnswer> {
    const id = newId('ask');
    const { tool, callId, access, reason, rule, agentName, diff, signal } = question;
    const answered = new Promise<ApprovalAnswer>((resolve) => {
      this.#open.set(id, resolve);
      const cancel = () => resolve({ answer: 'no', reason: 'cancelled' });
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
    this.#emit({
      type: 'approval',
      state: 'asked',
      id,
      callId,
      tool,
      access,
      reason,
      ...(rule !== undefined && { rule }),
      ...(agentName !== undefined && { agentName }),
      ...(diff !== undefined && { diff }),
    });
    const answer = await answered;
    this.#open.delete(id);
    this.#emit({
      type: 'approval',
      state: 'answered',
      id,
      callId,
      tool,
      answer: answer.answer,
      ...(answer.answer === 'no' && answer.reason !== undefined && { reason: answer.reason }),
    });
    return answer;
  }

  /** A person's answer; one that comes too late is passed over. */
  answer(id: string, answer: ApprovalAnswer): void {
    this.#open.get(id)?.(answer);
  }
}
