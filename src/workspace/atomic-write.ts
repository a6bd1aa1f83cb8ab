/** Writing a file so that a reader, or a crash, meets the old content or the new, never half of either. */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { FrostError } from '../errors.js';
import { kindOf, type Place, type Workspace } from './workspace.js';

/** Writes the content; calls the workspace's hooks with what was there before. Missing folders are made. */
export async function writeAtomically(workspace: Workspace, place: Place, content: Buffer): Promise<{ former?: Buffer }> {
  const folder = path.dirname(place.absolute);
  const name = path.basename(place.absolute);
  workspace.demandInside(place.absolute, place.name, 'write');
  const handle = await openFolder(folder, place);
  try {
    // Through the open folder, so that a parent exchanged for a link from now on changes nothing.
    const base = throughHandle(handle, folder);
    const former = await formerOf(workspace, place);
    await workspace.hooks.beforeChange?.(place.absolute, former?.content);
    await replace(path.join(base, name), content, former?.stat, place);
    await handle.sync().catch(() => undefined);
    await workspace.hooks.afterChange?.(place.absolute, content);
    return former ? { former: former.content } : {};
  } finally {
    await handle.close();
  }
}

/** A path to the open folder itself, wherever its name leads by now; only Linux has one. */
const throughHandle = (handle: fs.FileHandle, folder: string) => (process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : folder);

/** Opens the folder, made where it is missing. Throws FrostError('denied') where its path has come to lead elsewhere. */
async function openFolder(folder: string, place: Place): Promise<fs.FileHandle> {
  const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await fs.open(folder, flags).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw folderError(error, place);
    const parent = await openFolder(path.dirname(folder), place);
    try {
      const made = path.join(throughHandle(parent, path.dirname(folder)), path.basename(folder));
      await fs.mkdir(made).catch((failed: NodeJS.ErrnoException) => {
        if (failed.code !== 'EEXIST') throw folderError(failed, place);
      });
    } finally {
      await parent.close();
    }
    return await fs.open(folder, flags);
  });
  const real = process.platform === 'linux' ? await fs.readlink(`/proc/self/fd/${handle.fd}`) : await fs.realpath(folder);
  if (real === folder) return handle;
  await handle.close();
  throw exchanged(place);
}

const exchanged = (place: Place) => new FrostError('denied', `${place.name} does not lead where it led a moment ago; nothing was written.`);

function folderError(error: NodeJS.ErrnoException, place: Place): FrostError {
  if (error.code === 'ELOOP') return exchanged(place);
  if (error.code === 'ENOTDIR') return new FrostError('failed', `${place.name} goes through something that is no folder.`);
  return new FrostError('failed', `${place.name} cannot be written (${error.code}).`);
}

async function formerOf(workspace: Workspace, place: Place): Promise<{ content: Buffer; stat: Stats } | undefined> {
  const stat = await fs.lstat(place.absolute).catch(() => undefined);
  if (!stat) return undefined;
  if (!stat.isFile() && !stat.isSymbolicLink()) throw new FrostError('denied', `${place.name} is ${kindOf(stat)}, not a regular file.`);
  if ((stat.mode & 0o222) === 0) throw new FrostError('denied', `${place.name} is marked read-only.`);
  const handle = await workspace.open(place);
  try {
    return { content: await handle.readFile(), stat };
  } finally {
    await handle.close();
  }
}

/** The new file gets the owner and the mode of the old one; who is not root keeps the file as his own. */
async function takeAfter(handle: fs.FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  await handle.chown(uid, gid).catch(() => undefined);
  await handle.chmod(mode & 0o7777);
}

async function replace(target: string, content: Buffer, stat: Stats | undefined, place: Place): Promise<void> {
  const temporary = path.join(path.dirname(target), `.frost-${randomBytes(6).toString('hex')}`);
  try {
    const handle = await fs.open(temporary, 'wx', stat ? 0o600 : 0o666).catch((error) => {
      throw folderError(error, place);
    });
    try {
      await handle.writeFile(content);
      if (stat) await takeAfter(handle, stat);
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
