/** Finds programs of the machine that frost itself runs. */
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Workspace } from './workspace.js';

/**
 * The absolute path of a program on PATH. Folders of the workspace and relative ones do not count: a file that lies in
 * a repository must not become part of frost.
 */
export async function findProgram(name: string, env: Readonly<Record<string, string>>, workspace: Workspace): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const real = await fs.realpath(path.join(folder, name)).catch(() => undefined);
    if (real === undefined || workspace.contains(real)) continue;
    const runs = await fs.access(real, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path.join(folder, name);
  }
  return undefined;
}
