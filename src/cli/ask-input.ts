/** The question: prompt, then files, then what stdin brought, each in a fence. */
import { FrostError } from '../errors.js';
import type { ContentPart } from '../llm/messages.js';
import type { AskRequest } from './ask-flags.js';
import { fenced, readFiles } from './files.js';
import { readStdin } from './stdin.js';

export interface AskInput {
  content: string | ContentPart[];
  text: string;
}

/** Throws FrostError: `usage` without any prompt, 65 and 66 for input. */
export async function askInput(
  request: AskRequest,
  { warn, onLate }: { warn(text: string): void; onLate(error: FrostError): void },
): Promise<AskInput> {
  const { flags, prompt, promptFromStdin, stdinWaitSeconds } = request;
  const forceText = flags.forceText ?? false;
  const { blocks, images } = flags.file ? readFiles(flags.file, { cwd: process.cwd(), forceText, warn }) : { blocks: [], images: [] };
  const hasPrompt = prompt.trim() !== '';
  const piped = flags.stdin ? await readStdin({ hasPrompt, waitSeconds: stdinWaitSeconds, forceText, warn, onLate }) : undefined;
  const isPrompt = promptFromStdin || !hasPrompt;
  if (isPrompt && (piped === undefined || piped.trim() === '')) {
    throw new FrostError(
      'usage',
      promptFromStdin
        ? 'stdin was to be the prompt, but it is empty.'
        : 'there is no prompt. Write: frost ask "your question", or pipe one in.',
    );
  }
  const parts = isPrompt ? [piped ?? '', ...blocks] : [prompt, ...blocks, ...(piped === undefined ? [] : [fenced(piped)])];
  const text = parts.join('\n\n');
  return { text, content: images.length > 0 ? [{ type: 'text', text }, ...images] : text };
}
