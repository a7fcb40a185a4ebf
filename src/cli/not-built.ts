// Commands that users of calicoctl and kubectl type and that this version does not have: they are named, not unknown.
import { Command as Node } from 'commander';
import { UsageError } from '../world/errors.ts';

const notBuilt = ['datastore'];

/** Errors: UsageError when the word is such a command. */
export function refuseNotBuilt(word: string | undefined): void {
  if (word === undefined || !notBuilt.includes(word)) return;
  throw new UsageError(
    `this version of calictl has no command '${word}'`,
    "use calicoctl or kubectl for it; 'calictl --help' lists the commands there are",
    'NOT_BUILT',
  );
}

/** Hidden commands that take anything and refuse. */
export function notBuiltCommands(): Node[] {
  return notBuilt.map((word) =>
    new Node(word)
      .helpOption(false)
      .allowUnknownOption()
      .argument('[words...]')
      .action(() => refuseNotBuilt(word)),
  );
}
