import { EVENTS_VERSION } from '../agent/events.js';
import { FrostError } from '../errors.js';
import { defineAgentProfile } from '../profiles/define.js';
import { defineAgent } from '../profiles/define-agent.js';
import { defineTool } from '../profiles/define-tool.js';
import { createAgent, RunError } from './create-agent.js';

/** What `import 'frost-agent'` gives to an agent file: the values that the package's entry exports. */
export const publicApi = { EVENTS_VERSION, FrostError, RunError, createAgent, defineAgent, defineAgentProfile, defineTool };
