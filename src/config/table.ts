/**
 * The one table of settings. Flags, variables, `.env.example`, `--help`, `settings.json` and `frost config explain` are
 * written from it. Beside it, every specialist has its own `<NAME>_ENDPOINT`, `<NAME>_API_KEY` and `<NAME>_MODEL`.
 */

export type SettingKind = 'text' | 'url' | 'number' | 'integer' | 'boolean' | 'choice' | 'key';

export type SettingGroup = 'main agent' | 'context' | 'limits' | 'tools' | 'network' | 'chat';

export interface SettingDefinition {
  /** The environment variable. */
  readonly name: string;
  readonly kind: SettingKind;
  readonly group: SettingGroup;
  readonly description: string;
  readonly default?: string;
  /** Smallest number allowed. */
  readonly least?: number;
  readonly choices?: readonly string[];
  /** The flag as Commander writes it. */
  readonly flag?: string;
  /** The field of `settings.json`; a dot leads into an object. */
  readonly json?: string;
  readonly secret?: boolean;
  /** May a trusted folder set it? */
  readonly project?: boolean;
  /** Shown in `.env.example` as the value to fill in. */
  readonly example?: string;
}

export const THINKING_LEVELS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export const PERMISSION_MODES = ['read', 'ask', 'edit', 'full'] as const;

const TABLE = [
  {
    name: 'UPSTREAM_ENDPOINT',
    kind: 'url',
    group: 'main agent',
    flag: '--endpoint <url>',
    json: 'endpoint',
    project: true,
    example: 'https://api.example.com/v1',
    description: 'Base URL of the OpenAI-compatible endpoint of the main agent',
  },
  {
    name: 'UPSTREAM_API_KEY',
    kind: 'key',
    group: 'main agent',
    secret: true,
    project: true,
    description: 'Key for UPSTREAM_ENDPOINT; sent to no other origin',
  },
  {
    name: 'MODEL_NAME',
    kind: 'text',
    group: 'main agent',
    flag: '-m, --model <name>',
    json: 'model',
    project: true,
    description: 'Model of the main agent; not needed where the endpoint serves exactly one',
  },
  {
    name: 'SYSTEM_PROMPT',
    kind: 'text',
    group: 'main agent',
    flag: '--system <text>',
    json: 'systemPrompt',
    project: true,
    description: 'Replaces the built-in system prompt of the main agent',
  },
  {
    name: 'THINKING_LEVEL',
    kind: 'choice',
    choices: THINKING_LEVELS,
    group: 'main agent',
    flag: '--thinking <level>',
    json: 'thinkingLevel',
    project: true,
    description: 'Reasoning effort asked of the model',
  },
  {
    name: 'VISUAL_MODEL_NAME',
    kind: 'text',
    group: 'main agent',
    json: 'visualModel',
    project: true,
    description: 'Model that looks at images where the main model cannot',
  },
  {
    name: 'OPENAI_BASE_URL',
    kind: 'url',
    group: 'main agent',
    project: true,
    description: 'Read with OPENAI_API_KEY and OPENAI_MODEL, as a set, only where no UPSTREAM_ENDPOINT and no UPSTREAM_API_KEY is set',
  },
  {
    name: 'OPENAI_API_KEY',
    kind: 'key',
    group: 'main agent',
    secret: true,
    project: true,
    description: 'Key for OPENAI_BASE_URL, see there',
  },
  { name: 'OPENAI_MODEL', kind: 'text', group: 'main agent', project: true, description: 'Model at OPENAI_BASE_URL, see there' },
  {
    name: 'MAX_CONTEXT_MESSAGES',
    kind: 'integer',
    least: 1,
    group: 'context',
    json: 'maxContextMessages',
    project: true,
    description: 'Messages sent to the model at most; the system prompt stays, a call is never parted from its result',
  },
  {
    name: 'MAX_CONTEXT_CHARS',
    kind: 'integer',
    least: 1,
    group: 'context',
    json: 'maxContextChars',
    project: true,
    description: 'Characters sent to the model at most, by the same rule',
  },
  {
    name: 'CONTEXT_WINDOW',
    kind: 'integer',
    least: 1024,
    group: 'context',
    json: 'contextWindow',
    project: true,
    description: 'Tokens that the model can hold, where the endpoint does not tell',
  },
  {
    name: 'MAX_ITERATIONS',
    kind: 'integer',
    least: 1,
    default: '25',
    group: 'limits',
    flag: '--max-turns <n>',
    json: 'maxTurns',
    project: true,
    description: 'Model requests of one run at most',
  },
  {
    name: 'FROST_MAX_TOKENS',
    kind: 'integer',
    least: 1,
    group: 'limits',
    flag: '--max-tokens <n>',
    json: 'maxTokens',
    description: 'Tokens of one run at most, specialists included',
  },
  {
    name: 'FROST_MAX_COST',
    kind: 'number',
    least: 0,
    group: 'limits',
    flag: '--max-cost <usd>',
    json: 'maxCost',
    description: 'US dollars of one run at most, specialists included; needs prices in settings.json',
  },
  {
    name: 'FROST_TIMEOUT',
    kind: 'number',
    least: 0,
    group: 'limits',
    flag: '--timeout <seconds>',
    json: 'timeout',
    description: 'Seconds until a run is stopped (exit 124)',
  },
  {
    name: 'FROST_MAX_PARALLEL_AGENTS',
    kind: 'integer',
    least: 1,
    default: '8',
    group: 'limits',
    json: 'maxParallelAgents',
    description: 'Specialists that work at the same time',
  },
  {
    name: 'FROST_PERMISSION',
    kind: 'choice',
    choices: PERMISSION_MODES,
    group: 'tools',
    flag: '--permission <mode>',
    json: 'permissions.mode',
    description: 'What tools may do: read (default of frost ask), ask (default of chat), edit, full',
  },
  {
    name: 'FROST_CONNECT_TIMEOUT',
    kind: 'number',
    least: 0,
    default: '10',
    group: 'network',
    json: 'timeouts.connect',
    description: 'Seconds to wait for a connection',
  },
  {
    name: 'FROST_FIRST_BYTE_TIMEOUT',
    kind: 'number',
    least: 0,
    default: '120',
    group: 'network',
    json: 'timeouts.firstByte',
    description: 'Seconds to wait for the first byte of an answer',
  },
  {
    name: 'FROST_IDLE_TIMEOUT',
    kind: 'number',
    least: 0,
    default: '120',
    group: 'network',
    json: 'timeouts.idle',
    description: 'Seconds that an answer may pause',
  },
  {
    name: 'FROST_MAX_ATTEMPTS',
    kind: 'integer',
    least: 1,
    default: '3',
    group: 'network',
    flag: '--max-attempts <n>',
    json: 'maxAttempts',
    description: 'Attempts of one request at most, before any text has arrived',
  },
  {
    name: 'FROST_RESUME_STREAM',
    kind: 'boolean',
    group: 'network',
    flag: '--resume-stream',
    json: 'resumeStream',
    description: 'Ask the model to go on where its answer broke off',
  },
  { name: 'HTTPS_PROXY', kind: 'text', group: 'network', description: 'Proxy for https endpoints' },
  { name: 'HTTP_PROXY', kind: 'text', group: 'network', description: 'Proxy for http endpoints' },
  { name: 'NO_PROXY', kind: 'text', group: 'network', description: 'Hosts that are reached without a proxy, comma-separated' },
  {
    name: 'FROST_LANG',
    kind: 'choice',
    choices: ['en', 'zh'],
    group: 'chat',
    json: 'lang',
    description: 'Language of the chat; default by LANG',
  },
  {
    name: 'FROST_THEME',
    kind: 'choice',
    choices: ['dark', 'light', 'colorblind'],
    group: 'chat',
    json: 'theme',
    description: 'Colours of the chat',
  },
] as const satisfies readonly SettingDefinition[];

export type SettingName = (typeof TABLE)[number]['name'];

export const SETTINGS: readonly (SettingDefinition & { readonly name: SettingName })[] = TABLE;

const BY_NAME = new Map<string, SettingDefinition>(SETTINGS.map((definition) => [definition.name, definition]));

export function definitionOf(name: string): SettingDefinition | undefined {
  return BY_NAME.get(name);
}

export type SpecialistVariable = 'ENDPOINT' | 'API_KEY' | 'MODEL';

/** The variable of a specialist: `code-reviewer` and `MODEL` make `CODE_REVIEWER_MODEL`. */
export function specialistVariable(name: string, what: SpecialistVariable): string {
  return `${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_${what}`;
}

const SPECIALIST_VARIABLE = /^[A-Z][A-Z0-9_]*_(ENDPOINT|API_KEY|MODEL)$/;

/** Does frost read this variable: one of the table, or one of the form that specialists use? */
export function isFrostVariable(name: string): boolean {
  return BY_NAME.has(name) || SPECIALIST_VARIABLE.test(name);
}

/** May a trusted folder answer for this variable? Names outside the table are those of specialists. */
export function mayProjectSet(name: string): boolean {
  const definition = BY_NAME.get(name.toUpperCase());
  return definition === undefined || definition.project === true;
}

export function isSecretVariable(name: string): boolean {
  return BY_NAME.get(name)?.secret ?? name.endsWith('_API_KEY');
}
