import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A fresh user's machine: an empty home and an empty working folder, gone when `remove` is called. */
export interface TempHome {
  readonly home: string;
  readonly cwd: string;
  /** An environment with nothing but this home. */
  readonly env: Record<string, string>;
  /** Writes a file; `~/` is the home, everything else the working folder. Returns its path. */
  write(file: string, content: string): string;
  remove(): void;
}

export function tempHome(): TempHome {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'frost-home-')));
  const [home, cwd] = [path.join(root, 'home'), path.join(root, 'work')];
  fs.mkdirSync(home);
  fs.mkdirSync(cwd);
  return {
    home,
    cwd,
    env: { HOME: home, PATH: process.env['PATH'] ?? '' },
    write(file, content) {
      const target = file.startsWith('~/') ? path.join(home, file.slice(2)) : path.join(cwd, file);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, content);
      return target;
    },
    remove: () => fs.rmSync(root, { recursive: true, force: true }),
  };
}
