// An OpenAI-compatible endpoint on a loopback port whose behaviour is chosen by the model's name:
//   echo-N      N chunks of text, written at once
//   stream-N    the same for large N: written as fast as the socket drains
//   slow-N      N chunks, one every 10 ms
//   pause-MS    one chunk of text after MS milliseconds
//   delegate-N  N calls of use_subagent in one reply; once their results are there, a closing sentence
//   look-0      one call of list_files and one of search_files for "needle"; once their results are there, a closing sentence
// It keeps a log of what arrived and when, on the clock of `performance.now()`.
import http from 'node:http';

const SSE = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };
const SLICE = 64 * 1024;

const block = (data) => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (model, delta, finish = null) =>
  block({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] });
const ending = (model, reason) =>
  `${chunk(model, {}, reason)}${block({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } })}data: [DONE]\n\n`;

const WORDS = ['snow', 'falls', 'on', 'the', 'quiet', 'lake', 'and', 'melts'];
/** The text of chunk `index`: about six characters, with a line's end now and then. */
const word = (index) => `${WORDS[index % WORDS.length]}${index % 12 === 11 ? '\n' : ' '}`;
export const answerText = (chunks) => Array.from({ length: chunks }, (_, index) => word(index)).join('');

/** Bodies are built before the clock starts to run: the endpoint shares the machine with what it measures. */
const bodies = new Map();
function wholeBody(model, chunks) {
  const known = bodies.get(model);
  if (known) return known;
  const text = Array.from({ length: chunks }, (_, index) => chunk(model, { content: word(index) })).join('');
  const body = Buffer.from(chunk(model, { role: 'assistant', content: '' }) + text + ending(model, 'stop'));
  bodies.set(model, body);
  return body;
}

function writeWhole(response, body) {
  return new Promise((resolve) => {
    let at = 0;
    const more = () => {
      while (at < body.length) {
        const slice = body.subarray(at, at + SLICE);
        at += SLICE;
        if (!response.write(slice)) return;
      }
      resolve();
    };
    response.on('drain', more);
    response.once('close', resolve);
    more();
  });
}

async function writePaced(response, model, chunks, entry) {
  const start = performance.now();
  for (let index = 0; index < chunks && !response.destroyed; index++) {
    const wait = start + index * 10 - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (index === 0) entry.firstChunk = performance.now();
    response.write(chunk(model, { content: word(index) }));
  }
}

function delegation(model, count) {
  const calls = Array.from({ length: count }, (_, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name: 'use_subagent', arguments: JSON.stringify({ subagent_name: 'Coder', content: `Part ${index + 1} of the task` }) },
  }));
  return chunk(model, { role: 'assistant', tool_calls: calls }) + ending(model, 'tool_calls');
}

function looking(model) {
  const call = (index, name, args) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  });
  const calls = [call(0, 'list_files', { pattern: 'needle*' }), call(1, 'search_files', { pattern: 'needle' })];
  return chunk(model, { role: 'assistant', tool_calls: calls }) + ending(model, 'tool_calls');
}

async function reply(response, body, entry) {
  const model = body.model;
  const [kind, digits] = model.split('-');
  const count = Number(digits);
  response.writeHead(200, SSE);
  if (kind === 'slow') {
    await writePaced(response, model, count, entry);
    response.write(ending(model, 'stop'));
  } else if (kind === 'pause') {
    await new Promise((resolve) => setTimeout(resolve, count));
    response.write(wholeBody('echo-1', 1));
  } else if (kind === 'look' && !body.messages.some((message) => message.role === 'tool')) {
    response.write(looking(model));
  } else if (kind === 'delegate' && !body.messages.some((message) => message.role === 'tool')) {
    response.write(delegation(model, count));
  } else {
    entry.firstChunk = performance.now();
    await writeWhole(response, wholeBody(model, kind === 'delegate' || kind === 'look' ? 3 : count));
  }
  response.end();
  entry.lastByte = performance.now();
}

/** Starts the endpoint: `{url, take(), prepare(model), close()}`; `take()` gives the requests since the last call, oldest first. */
export async function startEndpoint() {
  let log = [];
  const server = http.createServer((request, response) => {
    const entry = { at: performance.now(), path: request.url, bytes: 0 };
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts);
      entry.bytes = text.length;
      if (request.method !== 'POST') {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[]}');
        return;
      }
      log.push(entry);
      entry.body = JSON.parse(text.toString('utf8'));
      reply(response, entry.body, entry).catch(() => response.destroy());
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    take() {
      const taken = log;
      log = [];
      return taken;
    },
    prepare(model) {
      wholeBody(model, Number(model.split('-')[1]));
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
