/** Answers that are delivered all or nothing: to a file, as code, as JSON that meets a schema. */
import fs from 'node:fs';
import path from 'node:path';
import type { RunEnd } from '../agent/agent.js';
import { exitCodeOf, FrostError, toFailure } from '../errors.js';
import type { Verdict } from '../print/result-object.js';
import { codeBlocks, firstCode } from '../text/code-blocks.js';
import type { AskRequest } from './ask-flags.js';
import type { Output } from './output.js';

/** Exit statuses with which an answer is there all the same. */
const WITH_ANSWER = [0, exitCodeOf('specialist'), exitCodeOf('denied')];

function failed(error: FrostError): Verdict {
  return { exit: error.exitCode, error: error.toFailure() };
}

/** The answer in the form asked for. Throws FrostError `form`. */
function shaped({ code }: AskRequest, answer: string): string {
  if (code === undefined) return answer;
  const found = firstCode(answer, code === '' ? undefined : code);
  if (found !== undefined) return found;
  const others = [...new Set(codeBlocks(answer).map(({ lang }) => lang || 'none named'))];
  const has = others.length > 0 ? ` (its blocks: ${others.join(', ')})` : '';
  throw new FrostError('form', `the answer has no ${code === '' ? '' : `${code} `}code block${has}.`);
}

/** Writes what was not streamed; returns the final verdict, and the text that was delivered. */
export async function deliver(
  request: AskRequest,
  end: RunEnd,
  verdict: Verdict,
  output: Output,
): Promise<{ verdict: Verdict; result?: string }> {
  const { flags } = request;
  if (end.outcome !== 'done' || !WITH_ANSWER.includes(verdict.exit)) return { verdict };
  try {
    const text = shaped(request, end.answer);
    const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    if (flags.out !== undefined) await writeWhole(flags.out, whole);
    else if (flags.output === 'text' && (request.code !== undefined || flags.schema !== undefined)) output.write(whole);
    return { verdict, ...(request.code !== undefined && { result: text }) };
  } catch (thrown) {
    return { verdict: thrown instanceof FrostError ? failed(thrown) : { exit: 1, error: toFailure(thrown) } };
  }
}

/** Before anything is asked and paid for: can the answer go there? Throws FrostError `failed` naming the file and the reason. */
export function checkOutFile(file: string): void {
  const folder = path.dirname(path.resolve(file));
  const refuse = (why: string) =>
    new FrostError('failed', `The answer could not be written to ${file}: ${why}. Name another file with -o.`, { file });
  if (fs.statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw refuse('it is a folder');
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw refuse(`there is no folder ${folder}`);
  try {
    fs.accessSync(folder, fs.constants.W_OK);
  } catch {
    throw refuse(`${folder} may not be written to`);
  }
}

/** Old content or new, never half. Throws FrostError `failed` naming the file. */
async function writeWhole(file: string, text: string): Promise<void> {
  const { default: writeFileAtomic } = await import('write-file-atomic');
  try {
    await writeFileAtomic(file, text);
  } catch (error) {
    throw new FrostError('failed', `The answer could not be written to ${file}: ${(error as Error).message}`, { file });
  }
}
