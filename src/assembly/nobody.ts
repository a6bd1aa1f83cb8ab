/** Runs without a main agent: a specialist that has an endpoint of its own needs no other. */
import type { Principal } from '../config/principal.js';
import { resolveMain, resolveSpecialist, type SpecialistRequest } from '../config/principals.js';
import type { Settings } from '../config/settings.js';
import { specialistVariable } from '../config/table.js';
import { FrostError } from '../errors.js';

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
  resolveMain(settings);
  const variable = specialistVariable(request.name, 'ENDPOINT');
  throw new FrostError('config', `${request.name} has no endpoint of its own, and the main agent cannot be used. Set ${variable}.`, {
    variable,
  });
}
