/** Which of the workspace's folders a path lies in. */
import path from 'node:path';

/** The folder that holds the absolute path, or undefined where it is outside all of them. */
export function boundaryOf(absolute: string, folders: { root: string; addDirs: readonly string[] }): string | undefined {
  return [folders.root, ...folders.addDirs].find((folder) => {
    const relative = path.relative(folder, absolute);
    return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  });
}
