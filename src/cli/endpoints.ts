/** `frost endpoints`: what an endpoint understands, and which models it has. */
import type { Command } from 'commander';
import { connectionOf, findMain, withModel } from '../assembly/connections.js';
import { processEnvironment } from '../config/environment.js';
import type { Principal } from '../config/principal.js';
import { loadSettings, type Settings } from '../config/settings.js';
import { exitCodeOf, FrostError } from '../errors.js';
import type { ProbeReport, ProbeRow } from '../llm/probe.js';
import { lineForTerminal } from '../text/sanitize.js';

interface EndpointOptions {
  agent?: string;
  model?: string;
  endpoint?: string;
  json?: boolean;
  envFile?: string;
}

/** Nothing is waited for longer, in milliseconds. */
const PATIENCE_MS = 120_000;

function settingsFor({ model, endpoint, envFile }: EndpointOptions): Settings {
  const flags = { ...(model !== undefined && { MODEL_NAME: model }), ...(endpoint !== undefined && { UPSTREAM_ENDPOINT: endpoint }) };
  return loadSettings({ env: processEnvironment(), cwd: process.cwd(), flags, ...(envFile !== undefined && { envFile }) });
}

async function specialistPrincipal(settings: Settings, name: string): Promise<Principal> {
  const { listAgents } = await import('../assembly/agent-list.js');
  const { agents } = await listAgents(settings);
  const found = agents.find(({ profile }) => profile.name.toLowerCase() === name.toLowerCase());
  if (!found)
    throw new FrostError('usage', `There is no specialist «${name}». There are ${agents.map(({ profile }) => profile.name).join(', ')}.`);
  if (!found.principal) throw new FrostError(found.failure?.kind ?? 'config', found.failure?.message ?? `${name} cannot be called.`);
  return found.principal;
}

async function principalFor(settings: Settings, { agent }: EndpointOptions, signal: AbortSignal): Promise<Principal> {
  if (agent !== undefined && agent !== 'main') return specialistPrincipal(settings, agent);
  return findMain(settings, (text) => process.stderr.write(`frost: ${text}\n`), signal);
}

function line({ capability, result, note }: ProbeRow, width: number): string {
  return `  ${capability.padEnd(width)}  ${result.padEnd(3)}  ${lineForTerminal(note)}`.trimEnd();
}

function textOf(title: string, { rows, base, requests }: ProbeReport): string {
  const width = Math.max(...rows.map(({ capability }) => capability.length));
  return [title, ...rows.map((one) => line(one, width)), `${requests} requests to ${base}`, ''].join('\n');
}

async function probe(options: EndpointOptions): Promise<void> {
  const settings = settingsFor(options);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const principal = await withModel(settings, await principalFor(settings, options, signal), signal);
  const { probeEndpoint } = await import('../llm/probe.js');
  const report = await probeEndpoint(connectionOf(settings, principal), principal.model, signal);
  const about = {
    principal: principal.name,
    model: principal.model,
    host: principal.host,
    ...(principal.key && { key: principal.key.name }),
  };
  const title = lineForTerminal(`${about.principal} · ${about.model} @ ${about.host}${about.key ? ` · key ${about.key}` : ''}`);
  const text = options.json ? `${JSON.stringify({ ...about, ...report }, null, 2)}\n` : textOf(title, report);
  process.stdout.write(settings.mask.mask(text));
  if (!report.failure) return;
  process.stderr.write(`frost: ${settings.mask.mask(lineForTerminal(report.failure.message))}\n`);
  process.exitCode = exitCodeOf(report.failure.kind);
}

async function models(options: EndpointOptions): Promise<void> {
  const settings = settingsFor(options);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const principal = await principalFor(settings, options, signal);
  const { listModels } = await import('../llm/client.js');
  const listed = await listModels(connectionOf(settings, principal), signal);
  if ('failure' in listed) throw new FrostError(listed.failure.kind, listed.failure.message, { ...listed.failure.facts });
  const text = options.json
    ? JSON.stringify({ principal: principal.name, host: principal.host, models: listed.ids }, null, 2)
    : listed.ids.map(lineForTerminal).join('\n');
  process.stdout.write(text === '' ? '' : `${text}\n`);
}

/** Gives `frost endpoints` its subcommands. */
export function registerEndpoints(command: Command): void {
  const withFlags = (sub: Command) =>
    sub
      .option('--agent <name>', 'a specialist instead of the main agent')
      .option('-m, --model <name>', 'another model at that endpoint (MODEL_NAME)')
      .option('--endpoint <url>', 'another endpoint (UPSTREAM_ENDPOINT)')
      .option('--env-file <file>', 'read variables from this file too')
      .option('--json', 'as one JSON object');
  withFlags(command.command('probe').description('Try what the endpoint understands, in under ten requests, and remember it')).action(
    probe,
  );
  withFlags(command.command('models').description('List the models that the endpoint has')).action(models);
}
