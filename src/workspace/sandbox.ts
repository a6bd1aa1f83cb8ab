/**
 * The operating-system sandbox for commands: bubblewrap on Linux, sandbox-exec on macOS. The workspace is writable, the
 * rest is read-only, secret files and folders of the home are hidden, other processes are out of sight, and the network
 * is off unless it was granted.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findProgram } from './programs.js';
import type { Workspace } from './workspace.js';

export interface Sandbox {
  readonly kind: 'bubblewrap' | 'sandbox-exec';
  /** The program and arguments that run `argv` inside. `cwd` is a real path of the workspace. */
  wrap(argv: readonly string[], options: { cwd: string; network: boolean }): Promise<string[]>;
}

const TEMPORARY = '/tmp';

/** Folders of the home that hold credentials; hidden from commands. */
const HIDDEN_FOLDERS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.password-store',
  '.config/gcloud',
  '.config/gh',
  '.config/frost',
  '.local/state/frost',
  '.config/op',
];
const HIDDEN_FILES = [
  '.netrc',
  '.npmrc',
  '.yarnrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.vault-token',
  '.my.cnf',
  '.cargo/credentials.toml',
];

/** Finds a sandbox that works on this machine; a container may forbid it even where the program is installed. */
export async function findSandbox(workspace: Workspace, env: Readonly<Record<string, string>>): Promise<Sandbox | undefined> {
  if (process.platform === 'darwin') return existsSync('/usr/bin/sandbox-exec') ? seatbelt(workspace) : undefined;
  if (process.platform !== 'linux') return undefined;
  const program = await findProgram('bwrap', env, workspace);
  if (!program) return undefined;
  const sandbox = bubblewrap(program, workspace);
  const [file = '', ...args] = await sandbox.wrap(['true'], { cwd: workspace.root, network: false });
  return await new Promise((resolve) => {
    execFile(file, args, { env: { PATH: env['PATH'] ?? '' }, timeout: 5000 }, (error) => resolve(error ? undefined : sandbox));
  });
}

function bubblewrap(program: string, workspace: Workspace): Sandbox {
  return {
    kind: 'bubblewrap',
    async wrap(argv, { cwd, network }) {
      const writable = [workspace.root, ...workspace.addDirs];
      const bind = (folders: readonly string[]) => folders.flatMap((folder) => ['--bind', folder, folder]);
      // A workspace that has /tmp or /proc in it comes before them, every other one after, so that neither hides the other.
      const wide = writable.filter((folder) => `${TEMPORARY}/`.startsWith(folder === '/' ? folder : `${folder}/`));
      const hidden = hiddenPlaces(workspace);
      const isHidden = (file: string) => hidden.folders.some((folder) => file.startsWith(folder + path.sep));
      const closed = [...hidden.files, ...(await secretsIn(workspace))].filter((file) => !isHidden(file));
      return [
        program,
        ...['--ro-bind', '/', '/', ...bind(wide), '--dev', '/dev', '--proc', '/proc'],
        ...['--tmpfs', TEMPORARY, '--setenv', 'TMPDIR', TEMPORARY, '--tmpfs', '/var/tmp', ...runtimeFolder(network)],
        ...bind(writable.filter((folder) => !wide.includes(folder))),
        ...hidden.folders.flatMap((folder) => ['--tmpfs', folder]),
        ...closed.flatMap((file) => ['--ro-bind', '/dev/null', file]),
        ...writable.flatMap(guarded).flatMap((folder) => ['--ro-bind', folder, folder]),
        ...['--unshare-user-try', '--unshare-pid', '--unshare-ipc', '--unshare-uts', ...(network ? [] : ['--unshare-net'])],
        ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--chdir', cwd, '--'],
        ...argv,
      ];
    },
  };
}

/** Sockets of the machine's services live under /run; with the network on, name resolution needs its own part of it. */
function runtimeFolder(network: boolean): string[] {
  const resolver = network ? ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager'].filter((folder) => existsSync(folder)) : [];
  return ['--tmpfs', '/run', ...resolver.flatMap((folder) => ['--ro-bind', folder, folder])];
}

function hiddenPlaces(workspace: Workspace): { folders: string[]; files: string[] } {
  const inHome = (names: string[]) => names.map((name) => path.join(os.homedir(), name)).filter((place) => existsSync(place));
  // A workspace inside such a folder was the user's choice.
  const folders = inHome(HIDDEN_FOLDERS).filter(
    (folder) => ![workspace.root, ...workspace.addDirs].some((own) => own === folder || own.startsWith(folder + path.sep)),
  );
  return { folders, files: inHome(HIDDEN_FILES) };
}

/** What git and frost would run or obey later stays as it is. */
function guarded(folder: string): string[] {
  return ['.git/hooks', '.frost'].map((name) => path.join(folder, name)).filter((place) => existsSync(place));
}

/** Secret files near the top of the workspace: deeper ones cost more to find than a command should wait. */
async function secretsIn(workspace: Workspace): Promise<string[]> {
  const found: string[] = [];
  const look = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await fs.readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const full = path.join(folder, entry.name);
      if (entry.isFile() && workspace.isSecret(workspace.nameOf(full)) && !workspace.isOpened(workspace.nameOf(full))) found.push(full);
      if (entry.isDirectory() && depth < 2 && !/^(\.git|node_modules)$/.test(entry.name) && found.length < 500) await look(full, depth + 1);
    }
  };
  for (const folder of [workspace.root, ...workspace.addDirs]) await look(folder, 0);
  return found;
}

function seatbelt(workspace: Workspace): Sandbox {
  return {
    kind: 'sandbox-exec',
    async wrap(argv, { network }) {
      const hidden = hiddenPlaces(workspace);
      const quote = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
      const subpaths = (folders: readonly string[]) => folders.map((folder) => `(subpath ${quote(folder)})`).join(' ');
      const secrets = [...hidden.files, ...(await secretsIn(workspace))];
      const profile = [
        '(version 1)',
        '(allow default)',
        '(deny file-write*)',
        `(allow file-write* ${subpaths([workspace.root, ...workspace.addDirs, '/private/tmp', '/private/var/folders'])} (literal "/dev/null") (literal "/dev/tty"))`,
        ...[workspace.root, ...workspace.addDirs].flatMap(guarded).map((folder) => `(deny file-write* (subpath ${quote(folder)}))`),
        ...hidden.folders.map((folder) => `(deny file-read* (subpath ${quote(folder)}))`),
        ...secrets.map((file) => `(deny file-read* (literal ${quote(file)}))`),
        '(deny process-info* (target others))',
        ...(network ? [] : ['(deny network*)']),
      ];
      return ['/usr/bin/sandbox-exec', '-p', profile.join('\n'), ...argv];
    },
  };
}
