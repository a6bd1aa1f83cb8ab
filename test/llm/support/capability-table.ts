/** What the recorded streams and the third-party servers of the tests show, as a table server × capability. */
import { table } from './endpoints-doc.js';
import { RECORDINGS, type ServiceRecording } from './services.js';

type Shows = (one: ServiceRecording) => boolean;

const CAPABILITIES: [name: string, shows: Shows][] = [
  ['text streamed', ({ expected }) => expected.text !== undefined],
  ['tool calls', ({ expected }) => expected.calls !== undefined],
  ['reasoning apart', ({ expected }) => expected.reasoning !== undefined],
  ['usage', ({ expected }) => expected.usage !== undefined],
  ['failure in a stream', ({ expected, status = 200 }) => expected.error !== undefined && status === 200],
  ['failure by status', ({ expected, status = 200 }) => expected.error !== undefined && status !== 200],
];

/** Servers of the registry that the tests run; the tests of third-party.test.ts stand for each mark. */
const RUN: [name: string, marks: boolean[], source: string][] = [
  ['aimock (run in the tests)', [true, true, true, true, true, true], 'https://www.npmjs.com/package/@copilotkit/aimock'],
  ['mock-llm (run in the tests)', [true, false, false, true, true, false], 'https://www.npmjs.com/package/@dwmkerr/mock-llm'],
];

const mark = (yes: boolean) => (yes ? 'yes' : '–');

export function capabilityTable(): string {
  const names = [...new Set(RECORDINGS.map(({ service }) => service))];
  const rows = names.map((name) => {
    const own = RECORDINGS.filter(({ service }) => service === name);
    const sources = [...new Set(own.map(({ source }) => source))];
    return [name, ...CAPABILITIES.map(([, shows]) => mark(own.some(shows))), own.map(({ shows }) => shows).join('; '), sources.join(' ')];
  });
  const run = RUN.map(([name, marks, source]) => [name, ...marks.map(mark), '', source]);
  return table(['server', ...CAPABILITIES.map(([name]) => name), 'peculiar', 'source'], [...rows, ...run]);
}
