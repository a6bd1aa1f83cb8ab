/** The mode `full` has a threshold of its own for the user who may do everything. */
import { FrostError } from '../errors.js';

export const CONFIRM_FULL = '--yes-full';

/** Throws FrostError('denied') for `full` as root without a sandbox, unless a second flag confirmed it. */
export function demandFullAllowed({
  isRoot,
  isSandboxed,
  isConfirmed,
}: {
  isRoot: boolean;
  isSandboxed: boolean;
  isConfirmed: boolean;
}): void {
  if (!isRoot || isSandboxed || isConfirmed) return;
  throw new FrostError(
    'denied',
    `--permission full is refused: frost runs as root and this machine has no sandbox for commands. Install bubblewrap, or add ${CONFIRM_FULL} if every command may do everything.`,
  );
}
