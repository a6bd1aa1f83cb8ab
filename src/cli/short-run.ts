import v8 from 'node:v8';
import type { AgentEvent } from '../agent/events.js';

/**
 * Streaming an answer is too little work for V8's optimising compiler to pay: for 20,000 chunks it costs as much CPU as it
 * saves, and 4 MB (docs/performance.md). Called when the program is loaded; `withOptimiser` follows before the process ends,
 * since the code cache that is written then is good only for a start with the same flags.
 */
export function withoutOptimiser(): void {
  v8.setFlagsFromString('--no-opt');
}

export function withOptimiser(): void {
  v8.setFlagsFromString('--opt');
}

/** A run that uses tools may search a hundred thousand files: then the compiler pays after all. */
export function optimiseForTools(event: AgentEvent): void {
  if (event.type === 'tool_start' && event.name !== 'send_message') withOptimiser();
}
