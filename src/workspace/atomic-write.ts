/** Writing a file so that a reader, or a crash, meets the old content or the new, never half of either. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { FrostError } from '../errors.js';
import { kindOf, type Place, type Workspace } from './workspace.js';

/** Writes the content; calls the workspace's hooks with what was there before. Missing folders are made. */
export async function writeAtomically(workspace: Workspace, place: Place, content: Buffer): Promise<{ former?: Buffer }> {
  const folder = path.dirname(place.absolute);
  const name = path.basename(place.absolute);
  await fs.mkdir(folder, { recursive: true });
  const handle = await openFolder(workspace, folder, place);
  try {
    // Through the open folder, so that a parent exchanged for a link from now on changes nothing.
    const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : folder;
    const former = await formerOf(workspace, place);
    await workspace.hooks.beforeChange?.(place.absolute, former?.content);
    await replace(path.join(base, name), content, former?.mode);
    await handle.sync().catch(() => undefined);
    await workspace.hooks.afterChange?.(place.absolute, content);
    return former ? { former: former.content } : {};
  } finally {
    await handle.close();
  }
}

async function openFolder(workspace: Workspace, folder: string, place: Place): Promise<fs.FileHandle> {
  const handle = await fs.open(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0));
  const real = process.platform === 'linux' ? await fs.readlink(`/proc/self/fd/${handle.fd}`) : await fs.realpath(folder);
  if (real === folder && workspace.contains(place.absolute)) return handle;
  await handle.close();
  throw new FrostError('denied', `${place.name} does not lead where it led a moment ago; nothing was written.`);
}

async function formerOf(workspace: Workspace, place: Place): Promise<{ content: Buffer; mode: number } | undefined> {
  const stat = await fs.lstat(place.absolute).catch(() => undefined);
  if (!stat) return undefined;
  if (!stat.isFile() && !stat.isSymbolicLink()) throw new FrostError('denied', `${place.name} is ${kindOf(stat)}, not a regular file.`);
  const handle = await workspace.open(place);
  try {
    return { content: await handle.readFile(), mode: stat.mode & 0o7777 };
  } finally {
    await handle.close();
  }
}

async function replace(target: string, content: Buffer, mode: number | undefined): Promise<void> {
  const temporary = `${target}.frost-${randomBytes(6).toString('hex')}`;
  try {
    const handle = await fs.open(temporary, 'wx', mode ?? 0o666);
    try {
      await handle.writeFile(content);
      if (mode !== undefined) await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}
