/**
 * The map of built-in specialists: the only place that lists them. A new one is a file beside this one and a line here; its
 * variables (`NAME_API_KEY`, `NAME_ENDPOINT`, `NAME_MODEL`) and the description that the main model reads follow from it.
 */
import type { Specialist } from '../src/profiles/specialist.js';
import { coder } from './coder.js';
import { reviewer } from './reviewer.js';
import { summarizer } from './summarizer.js';

export const specialists: Readonly<Record<string, Specialist>> = { Coder: coder, Reviewer: reviewer, Summarizer: summarizer };
