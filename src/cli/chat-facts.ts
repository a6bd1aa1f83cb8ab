/** What the chat shows of an assembly: its specialists, where everything comes from, and where a session is cut. */
import type { Assembled } from '../assembly/assemble.js';
import { resolveSpecialist } from '../config/principals.js';
import { type Settings, sourceText } from '../config/settings.js';
import type { Message } from '../llm/messages.js';
import type { AgentProfile } from '../profiles/profile.js';
import type { LoadedSession } from '../sessions/load.js';
import type { SpecialistFacts } from '../ui/backend.js';

/** A specialist with the model, endpoint and key it would use, or what is missing. */
export function factsOf(profile: AgentProfile, settings: Settings, main: Assembled['main']): SpecialistFacts {
  const { name, description } = profile;
  const tools = profile.tools.map((tool) => (typeof tool === 'string' ? tool : tool.name));
  try {
    const { model, host, key } = resolveSpecialist(settings, main, profile);
    return { name, description, tools, host, ...(model !== undefined && { model }), ...(key && { keyName: key.name }) };
  } catch (thrown) {
    return { name, description, tools, problem: settings.mask.mask((thrown as Error).message) };
  }
}

/** The record before the first of `dropped`: the messages at the end of the way, counted back. */
export function leafAt(session: LoadedSession, dropped: readonly Message[]): string | null {
  const way = session.pathTo();
  let left = dropped.length;
  for (let at = way.length - 1; at >= 0; at -= 1) {
    if (way[at]?.type === 'message') left -= 1;
    if (left === 0) return way[at]?.parent ?? null;
  }
  return null;
}

/** Where model, endpoint and key of every principal come from, and where the session is kept. */
export function statusLines({ main, recorder }: Assembled, model: string, specialists: readonly SpecialistFacts[]): string[] {
  const from = (source: typeof main.endpointSource | undefined) => (source ? ` (${sourceText(source)})` : '');
  const keyOf = (name: string | undefined) => name ?? 'no key is sent';
  const session = recorder ? `${recorder.path}${recorder.saving ? '' : ' (not saved)'}` : 'not recorded';
  return [
    `main · ${model}${model === main.model ? from(main.modelSource) : ' (/model)'}`,
    `  ${main.endpoint}${from(main.endpointSource)}`,
    `  ${keyOf(main.key?.name)}${main.key ? from(main.keySource) : ''}`,
    ...specialists.map(
      ({ name, model: own, host, keyName, problem }) => `${name} · ${problem ?? `${own ?? '?'} @ ${host ?? '?'} · ${keyOf(keyName)}`}`,
    ),
    session,
  ];
}
