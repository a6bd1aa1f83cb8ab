import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/llm/messages.js';
import { helpText } from '../../src/ui/commands/help.js';
import { COMMANDS, findCommand } from '../../src/ui/commands/table.js';
import { exportJson, exportMarkdown } from '../../src/ui/export.js';
import { historyBlocks } from '../../src/ui/history-blocks.js';
import { sayIn } from '../../src/ui/lang/lang.js';

const ALL =
  'help new clear model agents agent tools permissions trust context cost compact rewind undo fork sessions resume rename export copy diff status doctor config theme lang editor quit';

const HISTORY: Message[] = [
  { role: 'system', content: 'secret instructions' },
  { role: 'user', content: 'read it' },
  { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'read_file', arguments: '{"path":"a.txt"}' }] },
  { role: 'tool', callId: '1', name: 'read_file', content: '```\ncode in it\n```' },
  { role: 'assistant', content: 'It says **so**.' },
];

describe('the commands', () => {
  it('are all there, each once, and each has its line in /help in every language', () => {
    const names = COMMANDS.filter(({ hidden }) => !hidden).map(({ name }) => name);
    expect(names.toSorted()).toEqual(ALL.split(' ').toSorted());
    for (const language of ['en', 'zh'] as const) {
      const help = helpText(COMMANDS, sayIn(language));
      for (const name of names) expect(help).toContain(`  /${name}`);
    }
  });

  it('are found by the names that people try', () => {
    expect(findCommand('exit')?.name).toBe('quit');
    expect(findCommand('nonsense')).toBeUndefined();
  });
});

describe('a conversation of before', () => {
  it('is exported as Markdown that its own code cannot break, and as JSON, without the system prompt in the text', () => {
    const text = exportMarkdown(HISTORY, sayIn('en'));
    expect(text).toContain('## You\n\nread it');
    expect(text).toContain('````\n```\ncode in it\n```\n````');
    expect(text).not.toContain('secret instructions');
    expect(JSON.parse(exportJson('id', HISTORY))).toMatchObject({ version: 1, session: 'id', messages: HISTORY });
  });

  it('is shown again from its end, with tools in one line', () => {
    expect(historyBlocks(HISTORY, 10).map(({ kind }) => kind)).toEqual(['user', 'tool', 'answer', 'answer_end']);
    expect(historyBlocks(HISTORY, 1)).toMatchObject([{ kind: 'notice', text: '… 3' }, { kind: 'answer' }, { kind: 'answer_end' }]);
  });

  it('tells what frost asked of the model by itself apart from what the person wrote', () => {
    const nudge: Message = { role: 'user', content: 'Give your answer now.', auto: true };
    expect(historyBlocks([nudge], 10)).toEqual([{ kind: 'notice', text: 'Give your answer now.', tone: 'dim' }]);
    expect(exportMarkdown([nudge], sayIn('en'))).toBe('## frost\n\nGive your answer now.\n');
  });
});
