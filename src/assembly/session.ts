/** Which session a run belongs to: a new one, an older one that goes on, or none. */
import type { TrimLimits } from '../agent/trim.js';
import type { Settings } from '../config/settings.js';
import { FrostError } from '../errors.js';
import type { Message } from '../llm/messages.js';
import { openRecorder, type Recorder } from '../sessions/recorder.js';

export type SessionChoice = { kind: 'none' } | { kind: 'new' } | { kind: 'latest' } | { kind: 'id'; id: string };

export interface OpenedSession {
  recorder?: Recorder;
  /** The main agent's messages so far. */
  history: Message[];
}

/** Throws FrostError where the session does not exist, cannot be read, or is in use. */
export async function openSession(
  choice: SessionChoice,
  { settings, cwd, warn }: { settings: Settings; cwd: string; warn(text: string): void },
): Promise<OpenedSession> {
  if (choice.kind === 'none') return { history: [] };
  const dir = settings.paths.sessionsDir;
  const common = { dir, cwd, warn, mask: (text: string) => settings.mask.mask(text) };
  if (choice.kind === 'new') return { recorder: openRecorder(common), history: [] };
  const [{ loadSession }, { findSession, latestSession }] = await Promise.all([
    import('../sessions/load.js'),
    import('../sessions/list.js'),
  ]);
  const id = choice.kind === 'id' ? findSession(dir, choice.id) : latestSession(dir, cwd);
  if (id === undefined) throw new FrostError('input_missing', `There is no session to continue in ${cwd}. Start one with: frost ask "…"`);
  const recorder = openRecorder({ ...common, id });
  try {
    const session = loadSession(dir, id);
    const history = session.messagesAt(session.leaf, limitsOf(settings));
    for (const text of session.warnings) warn(`${session.path}: ${text}`);
    return { recorder, history };
  } catch (error) {
    recorder.close();
    throw error;
  }
}

function limitsOf(settings: Settings): TrimLimits {
  const maxMessages = settings.number('MAX_CONTEXT_MESSAGES');
  const maxChars = settings.number('MAX_CONTEXT_CHARS');
  return { ...(maxMessages !== undefined && { maxMessages }), ...(maxChars !== undefined && { maxChars }) };
}
