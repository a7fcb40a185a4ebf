// The hidden command `calictl __complete WORD…`, which the scripts of `calictl completion` call.
import { candidatesFor, globalTexts } from '../commands/completion/candidates.ts';
import { namesIn } from '../commands/completion/object-names.ts';
import { type NameSource, nothing } from '../commands/completion/values.ts';
import { commands, groups } from '../commands/tree.ts';
import type { World } from '../world/world.ts';
import { CommandContext } from './context.ts';
import { connectionSettings, locateDatastore } from './datastore-location.ts';
import { type GlobalInput, globalFlags } from './global-flags.ts';
import { inputOf } from './input.ts';

/** The longest that a person waits for names. */
const longestMs = 2000;
const register = { commands, groups, globalFlags };

/** Asks nobody and prints nothing but candidates: other output would disturb the line that is being typed. */
function silentWorld(world: World, late: AbortSignal): World {
  const nobody = { isTerminal: false, readAll: async () => '', readLine: async () => undefined };
  const nowhere = { ...world.io.stderr, isTerminal: false, colour: false, write: async () => undefined };
  const signal = AbortSignal.any([world.signal, late]);
  return { ...world, signal, io: { stdin: nobody, stdout: world.io.stdout, stderr: nowhere } };
}

/** Names, or none when there is no datastore, no permission or no answer in time; what is late is given up. */
function boundedNames(names: NameSource, { clock }: World, late: AbortController): NameSource {
  return (kind, options) => {
    const found = names(kind, options).catch(() => []);
    const given = clock.sleep(longestMs, late.signal).then(
      () => {
        late.abort();
        return [];
      },
      () => [],
    );
    return Promise.race([found, given]);
  };
}

const firstLine = (text: string): string => text.split(/[\n\t]/)[0] ?? '';

/** Never rejects. Prints `files` or `words`, then the candidates for the last word, one per line. */
export async function complete(words: readonly string[], unguarded: World): Promise<void> {
  const late = new AbortController();
  const world = silentWorld(unguarded, late.signal);
  let open: CommandContext | undefined;
  const names = namesIn(async () => {
    const given = new Map([...globalTexts(words, register)].filter(([key]) => key !== 'requestTimeout'));
    const texts = new Map([...given, ['requestTimeout', [`${longestMs}ms`]] as const]);
    const globals = (await inputOf({ flags: globalFlags, args: {}, rules: [] }, texts)) as GlobalInput;
    open = new CommandContext(world, {
      locate: () => locateDatastore(globals, world),
      settings: () => connectionSettings(globals, world),
      forPeople: true,
      warns: false,
    });
    return open.datastore();
  }, world);
  const found = await candidatesFor(words, register, boundedNames(names, world, late)).catch(() => nothing);
  const lines = found.candidates.map(({ word, about = '' }) => `${word}\t${firstLine(about)}`);
  await world.io.stdout.write(`${[found.files ? 'files' : 'words', ...lines].join('\n')}\n`);
  await Promise.race([open?.close().catch(() => undefined), unguarded.clock.sleep(longestMs)]);
}
