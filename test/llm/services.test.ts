/** Services as they are: the frames of each, from what it documents, give the answer that it meant. */
import { afterEach, describe, expect, it } from 'vitest';
import { ask, GREET } from './support/asking.js';
import { capabilityTable } from './support/capability-table.js';
import { partOf, updatePart } from './support/endpoints-doc.js';
import { closeServers, serveHttp } from './support/raw-server.js';
import { RECORDINGS } from './support/services.js';

afterEach(closeServers);

describe('the stream of', () => {
  it.each(RECORDINGS.map((one) => [`${one.service}: ${one.shows} (${one.source})`, one] as const))(
    '%s',
    async (_, { sse, status = 200, expected }) => {
      const port = await serveHttp((_request, response) => {
        response.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' });
        response.end(sse.join(''));
      });
      const { end, text } = await ask(`http://127.0.0.1:${port}/v1`, { tools: [GREET] }, { maxAttempts: 1 });
      expect(end.reason).toBe(expected.reason);
      expect(text).toBe(expected.text ?? '');
      expect(end.message.content).toBe(expected.text ?? '');
      expect(end.message.reasoning?.text).toBe(expected.reasoning);
      expect((end.message.toolCalls ?? []).map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual(expected.calls ?? []);
      expect(end.usage).toEqual(expected.usage);
      if (expected.error) expect(end.error?.message).toMatch(expected.error);
      else expect(end.error).toBeUndefined();
    },
  );
});

it('docs/endpoints.md has the table of what these streams prove', () => {
  updatePart('capabilities', capabilityTable());
  expect(partOf('capabilities')).toBe(capabilityTable());
});
