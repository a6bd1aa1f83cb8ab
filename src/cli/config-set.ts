/** `frost config set`: one variable into the user's own .env. */
import { processEnvironment } from '../config/environment.js';
import { pathsOf } from '../config/paths.js';
import { isFrostVariable, isSecretVariable } from '../config/table.js';
import { saveVariables } from '../config/user-files.js';
import { FrostError } from '../errors.js';

/** A line from the terminal that is not shown while it is typed, or all of a pipe. */
async function readValue(name: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) {
    let text = '';
    for await (const piece of stdin.setEncoding('utf8')) text += piece;
    return text;
  }
  const [{ createInterface }, { Writable }] = await Promise.all([import('node:readline/promises'), import('node:stream')]);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  process.stderr.write(`Value of ${name} (not shown): `);
  const value = await lines.question('');
  lines.close();
  process.stderr.write('\n');
  return value;
}

/**
 * Writes the variable. A key is read from stdin only: an argument is seen by every process of the machine and kept in the
 * shell's history. Throws FrostError `usage` for an unknown name, a key as an argument, or no value.
 */
export async function setCommand(name: string, value: string | undefined): Promise<void> {
  const variable = name.toUpperCase();
  if (!isFrostVariable(variable)) throw new FrostError('usage', `There is no setting ${variable}. frost config explain lists all.`);
  if (value !== undefined && isSecretVariable(variable)) {
    throw new FrostError(
      'usage',
      `A key is not given as an argument, where other programs can see it. Run: frost config set ${variable}, and paste it then.`,
    );
  }
  const given = (value ?? (await readValue(variable))).trim();
  if (given === '') throw new FrostError('usage', `No value for ${variable} was given.`);
  const paths = pathsOf(processEnvironment());
  saveVariables(paths, { [variable]: given });
  process.stdout.write(`${variable} is set in ${paths.envFile}\n`);
}
