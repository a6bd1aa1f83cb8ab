/**
 * The workspace: the folders a session may touch. Every path goes through `place`, every file is opened here, and what
 * was opened is checked once more, so that a link exchanged in between leads nowhere.
 */
import { constants, readlinkSync, realpathSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { FrostError } from '../errors.js';
import { boundaryOf } from '../permissions/boundary.js';
import { type SecretTest, secretTest } from '../permissions/secrets.js';

/** Called before a file is changed for the first time in a turn and after; `former` is undefined for a new file. */
export interface ChangeHooks {
  beforeChange?(path: string, former: Buffer | undefined): void | Promise<void>;
  afterChange?(path: string, content: Buffer): void | Promise<void>;
}

export interface WorkspaceOptions extends ChangeHooks {
  /** The folder frost was started in. */
  root: string;
  addDirs?: readonly string[];
  /** Further patterns of secret files; `!pattern` lifts one. */
  secretPatterns?: readonly string[];
  /** Files that a deny rule hides from listing and searching; gets a path relative to the root. */
  isDenied?: (name: string) => boolean;
  /** True for a secret file that an allow rule opens by name. */
  isOpened?: (name: string) => boolean;
  /** Where whole outputs go that were too long for the model; default a private folder among the temporary files. */
  outputDir?: string;
}

/** A place in the file system: where a given path really leads. */
export interface Place {
  /** Real and absolute; its last parts may not exist yet. */
  absolute: string;
  /** As results name it: relative to the root with forward slashes, absolute only outside the root. */
  name: string;
  exists: boolean;
}

/** What a session knows of a file that it has read or written. */
export interface FileState {
  /** Changes with every write to the file, and with every replacement of it. */
  signature: string;
  /** SHA-256 of the content; absent for files too large to hold. */
  hash?: string;
}

/** The part of a FileState that the file system tells. */
export function signatureOf(stat: { ino: bigint; size: bigint; mtimeNs: bigint; ctimeNs: bigint }): string {
  return [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':');
}

export class Workspace {
  readonly root: string;
  readonly addDirs: readonly string[];
  readonly isSecret: SecretTest;
  readonly hooks: ChangeHooks;
  /** Files this session has read or written, by real path. */
  readonly known = new Map<string, FileState>();
  /** True for a secret file that an allow rule opens by name. */
  readonly isOpened: (name: string) => boolean;
  readonly #working = new Map<string, Promise<void>>();
  readonly #prefix: string;
  readonly #isDenied: (name: string) => boolean;
  readonly readDirs: readonly string[];
  readonly #outputDir: string;

  /** Throws FrostError('input_missing') for a folder that is not there. */
  constructor(options: WorkspaceOptions) {
    this.root = realFolder(options.root);
    this.#prefix = this.root.endsWith(path.sep) ? this.root : this.root + path.sep;
    this.addDirs = (options.addDirs ?? []).map((folder) => realFolder(path.resolve(options.root, folder)));
    this.isSecret = secretTest(options.secretPatterns);
    this.hooks = options;
    this.#isDenied = options.isDenied ?? (() => false);
    this.isOpened = options.isOpened ?? (() => false);
    const outputDir = options.outputDir ?? path.join(os.tmpdir(), `frost-output-${process.getuid?.() ?? 0}-${process.pid}`);
    this.#outputDir = realPathOf(path.resolve(outputDir)).absolute;
    this.readDirs = [this.#outputDir];
  }

  /** Where a path leads. Throws FrostError('denied') for a path with characters nobody can see. */
  async place(given: string): Promise<Place> {
    const expanded = /^~(?=$|\/)/.test(given) ? os.homedir() + given.slice(1) : given;
    const absolute = path.resolve(this.root, expanded);
    if (given.includes('\0')) throw new FrostError('denied', 'The path has a NUL character.');
    const real = realPathOf(absolute);
    const hidden = /[\p{Cc}\p{Cf}\u2028\u2029]/u.exec(given)?.[0];
    if (hidden && !real.exists) {
      const code = hidden.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      throw new FrostError('denied', `The path «${JSON.stringify(given).slice(1, -1)}» has the invisible character U+${code}.`);
    }
    return { ...real, name: this.nameOf(real.absolute) };
  }

  /** The path as results spell it. */
  nameOf(absolute: string): string {
    if (path.sep === '/' && absolute.startsWith(this.#prefix)) return absolute.slice(this.#prefix.length);
    const relative = path.relative(this.root, absolute);
    const inside = relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
    return inside ? relative.split(path.sep).join('/') || '.' : absolute;
  }

  /** True where the real path lies in the root or an added folder; for reading also in the folder for long outputs. */
  contains(absolute: string, kind: 'read' | 'write' = 'write'): boolean {
    return boundaryOf(absolute, this, kind) !== undefined;
  }

  /** Runs work on a file after all earlier work on it has ended: two agents that edit one file must not lose an edit. */
  async exclusively<T>(place: Place, work: () => Promise<T>): Promise<T> {
    const before = this.#working.get(place.absolute) ?? Promise.resolve();
    const result = before.then(work);
    const settled = result.then(
      () => {},
      () => {},
    );
    this.#working.set(place.absolute, settled);
    void settled.then(() => {
      if (this.#working.get(place.absolute) === settled) this.#working.delete(place.absolute);
    });
    return await result;
  }

  /** Follows the links of an absolute path that may not exist yet. */
  realPath(absolute: string): string {
    return realPathOf(absolute).absolute;
  }

  /** True for files that listing and searching pass over: secrets, and what a deny rule covers. */
  hides(name: string): boolean {
    return this.#isDenied(name) || (this.isSecret(name) && !this.isOpened(name));
  }

  /**
   * Opens a regular file for reading without following a link in its last part and without waiting for a FIFO's writer.
   * Throws FrostError naming the file where it is missing, of another kind, or not where it was a moment ago.
   */
  async open(place: Place): Promise<fs.FileHandle> {
    this.demandInside(place.absolute, place.name, 'read');
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const handle = await fs.open(place.absolute, flags).catch((error: NodeJS.ErrnoException) => {
      throw openError(error, place.name);
    });
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw new FrostError('denied', `${place.name} is ${kindOf(stat)}, not a regular file.`);
      await this.#demandSame(handle, place);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The real path of a place that is a folder inside the boundary. Throws FrostError naming it where it is none. */
  async folder(place: Place): Promise<string> {
    const { absolute, name } = place;
    await this.demandUnmoved(place);
    this.demandInside(absolute, name, 'write');
    const stat = await fs.stat(absolute).catch(() => undefined);
    if (!stat?.isDirectory()) throw new FrostError('failed', `${name} is no folder.`);
    return absolute;
  }

  /** Throws FrostError('denied') where a place has come to lead elsewhere, or is outside. */
  async demandUnmoved({ absolute, name }: Place): Promise<void> {
    this.demandInside(absolute, name, 'read');
    if (realPathOf(absolute).absolute !== absolute) throw new FrostError('denied', `${name} does not lead where it led a moment ago.`);
  }

  /** A folder for whole outputs, made when first needed. */
  async outputFolder(): Promise<string> {
    const folder = this.#outputDir;
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Throws FrostError('denied') where an open file or folder is not the one that was judged. */
  async #demandSame(handle: fs.FileHandle, place: Place): Promise<void> {
    const link = process.platform === 'linux' ? await fs.readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined) : undefined;
    const now = link ?? (await fs.realpath(place.absolute));
    if (now !== place.absolute) throw new FrostError('denied', `${place.name} was exchanged while it was being opened; nothing was read.`);
  }

  /** Throws FrostError('denied') for a real path outside the boundary. */
  demandInside(absolute: string, name: string, kind: 'read' | 'write'): void {
    if (!this.contains(absolute, kind)) throw new FrostError('denied', `${name} is outside the workspace ${this.root}.`);
  }
}

/** The real path of a file that may not exist yet: that of its nearest existing parent, and the rest. */
export function realPathOf(absolute: string): { absolute: string; exists: boolean } {
  const rest: string[] = [];
  for (let at = absolute, links = 0; ; ) {
    try {
      return { absolute: path.join(realpathSync.native(at), ...rest), exists: rest.length === 0 };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'ELOOP' || code === 'ENAMETOOLONG') return { absolute: path.join(at, ...rest), exists: false };
      // A link whose target does not exist leads to that target, not to the link's own name.
      const target = linkTarget(at);
      if (target !== undefined && ++links < 40) {
        at = path.resolve(path.dirname(at), target);
        continue;
      }
      rest.unshift(path.basename(at));
      at = path.dirname(at);
    }
  }
}

function linkTarget(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw new FrostError('input_missing', `The workspace folder ${folder} is not there.`, {}, { cause: error });
  }
}

function openError(error: NodeJS.ErrnoException, name: string): FrostError {
  const sentence: Record<string, string> = {
    ENOENT: `${name} does not exist.`,
    ELOOP: `${name} is a link that leads in a circle, or was put there a moment ago; nothing was read.`,
    EACCES: `${name} cannot be read: permission denied.`,
    ENXIO: `${name} is a socket or a device, not a regular file.`,
    ENOTDIR: `${name} goes through a file as if it were a folder.`,
  };
  return new FrostError('failed', sentence[error.code ?? ''] ?? `${name} cannot be opened (${error.code ?? error.message}).`);
}

/** What a file is when it is not a regular one, for people. */
export function kindOf(stat: { isDirectory(): boolean; isFIFO(): boolean; isSocket(): boolean }): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isFIFO()) return 'a named pipe';
  return stat.isSocket() ? 'a socket' : 'a device';
}
