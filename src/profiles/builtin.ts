import { defineAgentProfile } from './define.js';
import type { AgentProfileInput } from './profile.js';
import { type Specialist, specialist } from './specialist.js';

/** A specialist that comes with frost: a profile, checked when the program starts, as a stateless function. */
export function builtinSpecialist(profile: AgentProfileInput): Specialist {
  return specialist(defineAgentProfile(profile, { level: 'builtin' }));
}
