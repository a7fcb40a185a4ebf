// What calicoctl's node commands ask of this machine, in its words.
import { isRoot } from '../../node-exec/processes.ts';
import { StdoutFailure } from '../../world/errors.ts';
import type { Context } from '../command.ts';

/** Errors: StdoutFailure when this machine does not run Linux or, with `asRoot`, for any user except root. */
export function requireCalicoctlMachine({ world }: Context, { asRoot }: { readonly asRoot: boolean }): void {
  if (world.platform !== 'linux') {
    throw new StdoutFailure("Error executing command: 'calicoctl node' commands are not available on this OS");
  }
  if (asRoot && !isRoot()) throw new StdoutFailure('Need super user privileges: Operation not permitted');
}
