import fs from 'node:fs';
import { FrostError } from '../errors.js';

/** No settings file is larger; a larger one is not read. */
const LARGEST_BYTES = 1024 * 1024;

const reasonOf = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code ?? String(thrown);

/**
 * The text of a settings file, or undefined where there is no such regular file (a folder named `.env` is a virtual
 * environment of Python; a FIFO would block). Throws FrostError `config` where the file cannot be read or is over 1 MiB.
 */
export function readSmallFile(file: string): string | undefined {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile()) return undefined;
    if (stat.size > LARGEST_BYTES) throw new FrostError('config', `${file} is larger than 1 MiB and was not read.`, { file });
    return fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (thrown) {
    if (thrown instanceof FrostError) throw thrown;
    const code = reasonOf(thrown);
    if (code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENOENT') return undefined;
    throw new FrostError('config', `${file} cannot be read (${code}).`, { file, code });
  }
}
