/** The main agent of a module: what its definition names, then the settings; a key goes only where it was given for. */

import { NOBODY } from '../config/nobody.js';
import type { Principal } from '../config/principal.js';
import { resolveSpecialist } from '../config/principals.js';
import type { Settings } from '../config/settings.js';
import type { AgentDefinition } from '../profiles/define-agent.js';
import { findMain } from './connections.js';

export async function mainOfDefinition(
  settings: Settings,
  definition: AgentDefinition,
  notice: (text: string) => void,
  signal: AbortSignal,
): Promise<Principal> {
  const { name = 'main', model, endpoint, apiKeyEnv, origin } = definition;
  const isFlag = settings.resolve('MODEL_NAME')?.source.kind === 'flag';
  const named = isFlag ? settings.get('MODEL_NAME') : model;
  const usual = endpoint === undefined || settings.resolve('UPSTREAM_ENDPOINT') ? await findMain(settings, notice, signal) : NOBODY;
  if (endpoint === undefined && apiKeyEnv === undefined) {
    return named === undefined
      ? usual
      : {
          ...usual,
          model: named,
          modelSource: isFlag ? (settings.resolve('MODEL_NAME')?.source ?? { kind: 'flag' }) : { kind: 'profile' },
        };
  }
  const request = {
    name,
    origin,
    ...(named !== undefined && { model: named }),
    ...(endpoint !== undefined && { endpoint }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
  };
  const own = resolveSpecialist(settings, usual, request);
  return { ...own, name: 'main' };
}
