/** Runs without a main agent: a specialist that has an endpoint of its own needs no other. */

import { FrostError } from '../errors.js';
import type { Principal } from './principal.js';
import { isUnconfigured, resolveMain, resolveSpecialist, type SpecialistRequest } from './principals.js';
import type { Settings } from './settings.js';

/** A main agent that is not there: nothing has its origin, so that no key is inherited from it. */
export const NOBODY: Principal = {
  name: 'main',
  endpoint: 'http://nowhere.invalid',
  endpointSource: { kind: 'default' },
  host: 'nowhere.invalid',
};

export const isNobody = (principal: Principal): boolean => principal.endpoint === NOBODY.endpoint;

/** A specialist under this main agent, or under none. Throws FrostError that says what to set. */
export function resolveUnder(settings: Settings, main: Principal, request: SpecialistRequest): Principal {
  if (!isNobody(main)) return resolveSpecialist(settings, main, request);
  const own = resolveSpecialist(settings, NOBODY, request);
  if (!isNobody(own)) return own;
  if (!isUnconfigured(settings)) resolveMain(settings);
  // One text for every specialist, so that a list of them says it once.
  const text =
    'No endpoint is set: set UPSTREAM_ENDPOINT for all, or NAME_ENDPOINT (such as CODER_ENDPOINT) for one specialist alone; --demo needs neither.';
  throw new FrostError('auth', text, { principal: request.name });
}

/** The main agent, or nobody where it cannot be resolved. */
export function mainOrNobody(settings: Settings): Principal {
  try {
    return resolveMain(settings);
  } catch {
    return NOBODY;
  }
}
