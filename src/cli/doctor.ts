/** `frost doctor`: could the main agent answer, and if not, why. */
import type { Command } from 'commander';
import type { Diagnosis, DiagnosisPorts } from '../assembly/diagnose.js';
import type { Check } from '../assembly/surroundings.js';
import { processEnvironment } from '../config/environment.js';
import type { Principal } from '../config/principal.js';
import { loadSettings, type Settings } from '../config/settings.js';
import { lineForTerminal } from '../text/sanitize.js';

interface DoctorOptions {
  json?: boolean;
  envFile?: string;
}

/** No endpoint is waited for longer, in milliseconds. */
const PATIENCE_MS = 15_000;

async function portsFor(settings: Settings): Promise<DiagnosisPorts> {
  const [{ createModel, discoverLocalServers, listModels }, { listAgents }, { connectionOf }] = await Promise.all([
    import('../llm/client.js'),
    import('../assembly/agent-list.js'),
    import('../assembly/connections.js'),
  ]);
  const { agents } = await listAgents(settings);
  const connection = (principal: Principal) => ({ ...connectionOf(settings, principal), maxAttempts: 1 });
  return {
    env: processEnvironment(),
    specialists: agents.map(({ profile }) => profile),
    nodeVersion: process.versions.node,
    terminal: { isTerminal: process.stdout.isTTY === true, columns: process.stdout.columns, rows: process.stdout.rows },
    listModels: (principal) => listModels(connection(principal), AbortSignal.timeout(PATIENCE_MS)),
    discover: () => discoverLocalServers(AbortSignal.timeout(PATIENCE_MS), { timeoutMs: 300 }),
    async ask(principal, model) {
      const messages = [{ role: 'user', content: 'Say ok.' } as const];
      const request = { messages, tools: [], maxOutputTokens: 16, signal: AbortSignal.timeout(PATIENCE_MS) };
      for await (const event of createModel(connection(principal), model).stream(request)) {
        if (event.type === 'end' && event.reason !== 'length') return event.error;
      }
      return undefined;
    },
  };
}

const SIGNS = { ok: 'ok', warning: 'look', failed: 'FAILED' };

function lines(checks: readonly Check[]): string[] {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.map(
    ({ name, status, text }) => `  ${SIGNS[status].padEnd(6)}  ${lineForTerminal(name).padEnd(width)}  ${lineForTerminal(text)}`,
  );
}

function textOf({ ok, principals, checks }: Diagnosis): string {
  const verdict = ok ? 'The main agent can answer.' : 'The main agent cannot answer.';
  return ['Principals', ...lines(principals), '', 'Surroundings', ...lines(checks), '', verdict, ''].join('\n');
}

async function diagnosisOf(settings: Settings): Promise<Diagnosis> {
  const { diagnose } = await import('../assembly/diagnose.js');
  return diagnose(settings, await portsFor(settings));
}

/** What `frost doctor` prints, for whoever shows it elsewhere; no key is in it. */
export async function doctorText(settings: Settings): Promise<string> {
  return settings.mask.mask(textOf(await diagnosisOf(settings)));
}

async function doctor({ json, envFile }: DoctorOptions): Promise<void> {
  const settings = loadSettings({ env: processEnvironment(), cwd: process.cwd(), ...(envFile !== undefined && { envFile }) });
  const diagnosis = await diagnosisOf(settings);
  const text = json ? `${JSON.stringify({ version: FROST_VERSION, ...diagnosis }, null, 2)}\n` : textOf(diagnosis);
  process.stdout.write(settings.mask.mask(text));
  process.exitCode = diagnosis.exitCode;
}

/** Gives `frost doctor` its flags and work. */
export function registerDoctor(command: Command): void {
  command.option('--json', 'as one JSON object').option('--env-file <file>', 'read variables from this file too').action(doctor);
}
