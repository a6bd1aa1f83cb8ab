/** The package's public entry: `import { … } from 'frost-agent'`. */
export { type AgentEvent, EVENTS_VERSION } from './agent/events.js';
export { FrostError } from './errors.js';
