/** What an agent does now, in words. */
import { lineForTerminal } from '../../text/sanitize.js';
import type { Say } from '../lang/lang.js';
import type { AgentView } from '../view-state.js';

export function stepWords(step: AgentView['step'], now: number, say: Say): string {
  switch (step.kind) {
    case 'idle':
      return '';
    case 'waiting':
    case 'thinking':
    case 'writing':
    case 'compacting':
      return say(`step.${step.kind}`);
    case 'tool': {
      const name = say('step.tool', { name: lineForTerminal(step.name) });
      return step.summary === '' ? name : `${name} ${lineForTerminal(step.summary)}`;
    }
    case 'approval':
      return say('step.approval', { name: lineForTerminal(step.tool) });
    case 'retry': {
      const seconds = Math.max(0, Math.ceil((step.until - now) / 1000));
      return say('step.retry', { attempt: step.attempt, max: step.maxAttempts, seconds, reason: lineForTerminal(step.reason) });
    }
  }
}
