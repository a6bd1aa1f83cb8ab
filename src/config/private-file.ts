import fs from 'node:fs';
import path from 'node:path';
import { FrostError } from '../errors.js';

/**
 * Writes a file that only its owner may read (0600, its folder 0700), whole or not at all. Throws FrostError `config` that
 * names the file where that is not possible.
 */
export function writePrivateFile(file: string, text: string): void {
  const target = fs.existsSync(file) ? fs.realpathSync(file) : file;
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    fs.mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    fs.writeFileSync(temporary, text, { mode: 0o600 });
    fs.renameSync(temporary, target);
  } catch (thrown) {
    if (fs.existsSync(temporary)) fs.rmSync(temporary, { force: true });
    const code = (thrown as NodeJS.ErrnoException).code ?? 'failed';
    throw new FrostError('config', `${file} cannot be written (${code}).`, { file, code });
  }
}
