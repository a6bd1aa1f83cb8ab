// The least that a Node program needs to put one streamed answer on stdout: node:http, no arguments, no settings, one write a read.
import http from 'node:http';

const [, , endpoint, model] = process.argv;
const request = http.request(`${endpoint}/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' } });
request.on('response', (response) => {
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    let out = '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      out += JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '';
    }
    if (out) process.stdout.write(out);
  });
});
request.end(JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Write about snow.' }] }));
