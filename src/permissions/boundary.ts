/** Which of the workspace's folders a path lies in. */
import path from 'node:path';

/** The folders of a workspace: absolute real paths. */
export interface Boundary {
  root: string;
  /** Further folders to read and write. */
  addDirs: readonly string[];
  /** Folders of frost's own, such as the one for long outputs: for reading only. */
  readDirs?: readonly string[];
}

/** The folder that holds the absolute path, or undefined where it is outside all of them. */
export function boundaryOf(absolute: string, { root, addDirs, readDirs = [] }: Boundary, kind: 'read' | 'write'): string | undefined {
  return [root, ...addDirs, ...(kind === 'read' ? readDirs : [])].find((folder) => {
    const relative = path.relative(folder, absolute);
    return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  });
}
