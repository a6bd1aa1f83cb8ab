import http from 'node:http';
import { modelsIn } from './catalog.js';

export interface LocalServer {
  /** «Ollama», «LM Studio», «llama.cpp», «vLLM». */
  kind: string;
  endpoint: string;
  models: string[];
}

/** The ports that local servers use by default, in the order of preference. */
const PLACES = [
  { kind: 'Ollama', port: 11434 },
  { kind: 'LM Studio', port: 1234 },
  { kind: 'llama.cpp', port: 8080 },
  { kind: 'vLLM', port: 8000 },
] as const;

const MAX_BYTES = 2_000_000;

function get(url: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { signal, agent: false }, (response) => {
      if (response.statusCode !== 200) return request.destroy(new Error(`status ${response.statusCode}`));
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > MAX_BYTES) request.destroy(new Error('too long'));
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

/** Looks for model servers on this machine, all places at once, without any key; at most `timeoutMs` in all. */
export async function findLocalServers(
  signal: AbortSignal,
  timeoutMs: number,
  places: readonly { kind: string; port: number }[] = PLACES,
): Promise<LocalServer[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const found = await Promise.all(
    places.map(async ({ kind, port }): Promise<LocalServer[]> => {
      const endpoint = `http://127.0.0.1:${port}/v1`;
      try {
        const models = modelsIn(await get(`${endpoint}/models`, limit));
        return models ? [{ kind, endpoint, models: models.map(({ id }) => id) }] : [];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
