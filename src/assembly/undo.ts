/** What files were before a turn changed them. The store is loaded at the first change: most runs change nothing. */
import type { AgentEvent } from '../agent/events.js';
import type { Settings } from '../config/settings.js';
import type { UndoResult, UndoStore } from '../sessions/undo.js';
import type { ChangeHooks } from '../workspace/workspace.js';

export interface Undo {
  hooks: ChangeHooks;
  /** Reads the event stream: a run of the main agent is one step. */
  sink(event: AgentEvent): void;
  /** Takes back the last run that changed files; undefined where there is none. */
  undo(): Promise<UndoResult | undefined>;
  close(): void;
}

export function undoOf({ paths }: Settings, session: string, warn: (text: string) => void): Undo {
  let opened: UndoStore | undefined;
  const store = async (): Promise<UndoStore> => {
    const { UndoStore } = await import('../sessions/undo.js');
    opened ??= new UndoStore({ dir: paths.sessionsDir, session, warn });
    return opened;
  };
  return {
    hooks: {
      beforeChange: async (file, former) => (await store()).beforeChange(file, former),
      afterChange: async (file, content) => (await store()).afterChange(file, content),
    },
    sink: (event) => opened?.sink(event),
    undo: async () => (await store()).undo(),
    close: () => opened?.close(),
  };
}
