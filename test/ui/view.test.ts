import { describe, expect, it } from 'vitest';
import type { AgentEvent, NewEvent } from '../../src/agent/events.js';
import { addSteering, apply, EMPTY_VIEW, takeBlocks } from '../../src/ui/view.js';
import type { View } from '../../src/ui/view-state.js';

let clock = 1000;
const at = (event: NewEvent, agent?: string): AgentEvent => {
  clock += 10;
  return { ...event, ts: clock, ...(agent !== undefined && { agent }) } as AgentEvent;
};

const START: NewEvent = { type: 'run_start', version: 1, model: 'big', host: 'api.test', tools: [], specialists: ['Coder'] };
const END: NewEvent = {
  type: 'run_end',
  outcome: 'done',
  answer: 'x',
  turns: 1,
  ms: 10,
  principals: [],
  failedAgents: [],
  permissionDenials: [],
};
const child = (run: string, parent?: string): NewEvent => ({
  type: 'agent_start',
  run,
  ...(parent && { parent }),
  name: 'Coder',
  task: 'write it',
  model: 'small',
  host: 'localhost:1',
  limits: {},
});
const ended = (run: string, status: 'done' | 'failed' = 'done'): NewEvent => ({
  type: 'agent_end',
  run,
  name: 'Coder',
  status,
  text: 'code',
  ms: 5,
  turns: 1,
  ...(status === 'failed' && { error: { kind: 'auth', message: 'CODER_API_KEY was refused' } }),
});

const play = (events: AgentEvent[], from: View = EMPTY_VIEW): View => events.reduce(apply, from);
const kindsOf = (view: View) => takeBlocks(view).blocks.map(({ kind }) => kind);

describe('the view of a run', () => {
  it('streams text into finished blocks and an open rest, and takes each block once', () => {
    const view = play([at(START), at({ type: 'text_delta', text: 'First.\n\nSec' }), at({ type: 'text_delta', text: 'ond' })]);
    const { blocks, view: rest } = takeBlocks(view);
    expect(blocks).toEqual([{ kind: 'answer', piece: { kind: 'paragraph', indent: 0, markdown: 'First.' } }]);
    expect(rest.main.cutter.partial).toBe('Second');
    const done = play([at({ type: 'message', id: '1', message: { role: 'assistant', content: 'First.\n\nSecond' } }), at(END)], rest);
    expect(kindsOf(done)).toEqual(['answer', 'answer_end', 'run_end']);
    expect(done.running).toBe(false);
  });

  it('shows a message that never streamed', () => {
    const view = play([at(START), at({ type: 'message', id: '1', message: { role: 'assistant', content: 'All at once' } })]);
    expect(kindsOf(view)).toEqual(['answer', 'answer_end']);
  });

  it('folds reasoning into one block with its time', () => {
    const view = play([at(START), at({ type: 'reasoning_delta', text: 'hm' }), at({ type: 'text_delta', text: 'So' })]);
    expect(takeBlocks(view).blocks).toMatchObject([{ kind: 'reasoning', text: 'hm', ms: 10 }]);
  });

  it('has a row for each child, nested, with what it does, spends and how it ends', () => {
    const started = play([
      at(START),
      at(child('a')),
      at(child('b', 'a')),
      at({ type: 'tool_start', callId: '1', name: 'read_file', arguments: {}, summary: 'x.ts' }, 'b'),
      at({ type: 'usage', principal: 'Coder', model: 'small', host: 'h', usage: { inputTokens: 10, outputTokens: 5 } }, 'b'),
    ]);
    expect(started.current).toEqual(['a', 'b']);
    expect(started.children.get('b')).toMatchObject({
      parent: 'a',
      status: 'running',
      spent: { inputTokens: 10, outputTokens: 5, unknownCost: true },
      view: { step: { kind: 'tool', name: 'read_file', summary: 'x.ts' } },
    });
    const done = play([at(ended('b', 'failed')), at(ended('a'))], started);
    expect(done.children.get('b')).toMatchObject({ status: 'failed', error: { message: 'CODER_API_KEY was refused' } });
    expect(takeBlocks(done).blocks).toMatchObject([{ kind: 'agent', row: { run: 'a' } }]);
    expect(done.children.get('a')?.view.blocks).toMatchObject([{ kind: 'user' }, { kind: 'agent', row: { run: 'b' } }]);
  });

  it('keeps a child’s text out of the main transcript and in its own', () => {
    const view = play([at(START), at(child('a')), at({ type: 'text_delta', text: 'secret work\n\n' }, 'a')]);
    expect(kindsOf(view)).toEqual([]);
    expect(view.children.get('a')?.view.blocks.at(-1)).toMatchObject({ kind: 'answer' });
  });

  it('lets every agent speak in the main transcript, with its name', () => {
    const view = play([at(START), at(child('a')), at({ type: 'said', parts: [{ type: 'plain', text: 'hello' }], auto: false }, 'a')]);
    expect(takeBlocks(view).blocks).toMatchObject([{ kind: 'said', speaker: 'Coder' }]);
  });

  it('asks for approval with the name of who asks, and goes on after the answer', () => {
    const asked = play([
      at(START),
      at(child('a')),
      at(
        {
          type: 'approval',
          state: 'asked',
          id: 'p',
          callId: 'c',
          tool: 'run_command',
          access: { kind: 'run', command: 'ls' },
          reason: 'mode',
        },
        'a',
      ),
    ]);
    expect(asked.approvals).toMatchObject([{ id: 'p', agentName: 'Coder' }]);
    expect(asked.children.get('a')?.view.step).toEqual({ kind: 'approval', tool: 'run_command' });
    const answered = play(
      [at({ type: 'approval', state: 'answered', id: 'p', callId: 'c', tool: 'run_command', answer: 'once' }, 'a')],
      asked,
    );
    expect(answered.approvals).toEqual([]);
    expect(kindsOf(answered)).toEqual(['approval']);
  });

  it('draws a steering message where it enters the history', () => {
    const steered = addSteering(play([at(START)]), 'shorter please');
    const view = play([at({ type: 'message', id: '2', message: { role: 'user', content: 'shorter please' } })], steered);
    expect(takeBlocks(view).blocks).toEqual([{ kind: 'user', text: 'shorter please', how: 'steered' }]);
    expect(view.steering).toEqual([]);
  });

  it('never counts an unknown price as nothing', () => {
    const usage = (cost?: number): NewEvent => ({
      type: 'usage',
      principal: 'main',
      model: 'm',
      host: 'h',
      usage: {},
      ...(cost !== undefined && { cost }),
    });
    expect(play([at(START), at(usage(0.5))]).runSpent).toMatchObject({ cost: 0.5, unknownCost: false });
    expect(play([at(START), at(usage(0.5)), at(usage())]).runSpent).toMatchObject({ cost: 0.5, unknownCost: true });
  });

  it('makes what was broken off final, and says so', () => {
    const view = play([at(START), at({ type: 'text_delta', text: 'half' }), at({ ...END, outcome: 'aborted' })]);
    expect(takeBlocks(view).blocks).toMatchObject([
      { kind: 'answer' },
      { kind: 'answer_end', incomplete: 'aborted' },
      { kind: 'run_end', outcome: 'aborted' },
    ]);
  });

  it('draws one line for a tool, none for what is drawn better elsewhere', () => {
    const tool = (name: string, ok = true): AgentEvent[] => [
      at({ type: 'tool_start', callId: name, name, arguments: {}, summary: 's' }),
      at({ type: 'tool_end', callId: name, name, ok, ms: 3 }),
    ];
    const view = play([at(START), ...tool('read_file'), ...tool('send_message'), ...tool('use_subagent', false)]);
    expect(takeBlocks(view).blocks).toMatchObject([
      { tool: { name: 'read_file', ok: true, ms: 3 } },
      { tool: { name: 'use_subagent', ok: false } },
    ]);
  });

  it('tells of a summary that was made, not of one that failed', () => {
    const compaction = (state: 'start' | 'end', tokensAfter?: number): AgentEvent =>
      at({ type: 'compaction', state, trigger: 'manual', tokensBefore: 900, ...(tokensAfter !== undefined && { tokensAfter }) });
    expect(kindsOf(play([compaction('start'), compaction('end')]))).toEqual([]);
    const view = play([compaction('start'), compaction('end', 120)]);
    expect(takeBlocks(view).blocks).toEqual([{ kind: 'compaction', tokensBefore: 900, tokensAfter: 120 }]);
    expect(view.contextTokens).toBe(120);
  });
});
