// The hidden command `calictl __complete WORD…`, which the scripts of `calictl completion` call.
import { candidatesFor, globalTexts } from '../commands/completion/candidates.ts';
import { namesIn } from '../commands/completion/object-names.ts';
import { type Candidates, type NameSource, nothing } from '../commands/completion/values.ts';
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

/** The candidates for the last word; none when anything fails. */
async function found(words: readonly string[], unguarded: World): Promise<Candidates> {
  const late = new AbortController();
  const world = silentWorld(unguarded, late.signal);
  let open: CommandContext | undefined;
  const globals = async (): Promise<GlobalInput> => {
    const given = new Map([...globalTexts(words, register)].filter(([key]) => key !== 'requestTimeout'));
    const texts = new Map([...given, ['requestTimeout', [`${longestMs}ms`]] as const]);
    return (await inputOf({ flags: globalFlags, args: {}, rules: [] }, texts)) as GlobalInput;
  };
  const names = namesIn(async () => {
    const input = await globals();
    open = new CommandContext(world, {
      locate: () => locateDatastore(input, world),
      settings: () => connectionSettings(input, world),
      forPeople: true,
      warns: false,
    });
    return open.datastore();
  }, world);
  const contexts = async (): Promise<readonly string[]> => {
    const { contextNames } = await import('../connect/kube-config.ts');
    return connectionSettings(await globals(), world)
      .then((settings) => contextNames(settings, world))
      .catch(() => []);
  };
  const candidates = await candidatesFor(words, register, boundedNames(names, world, late), contexts).catch(
    () => nothing,
  );
  await Promise.race([open?.close().catch(() => undefined), unguarded.clock.sleep(longestMs)]);
  return candidates;
}

const linesOf = ({ candidates }: Candidates): string[] =>
  candidates.map(({ word, about = '' }) => `${word}\t${firstLine(about)}`);

/** PowerShell passes on no empty argument: its script sends a space for a word that is not begun. */
const begun = (words: readonly string[]): readonly string[] =>
  words.at(-1) === ' ' ? [...words.slice(0, -1), ''] : words;

/** Never rejects. Prints `files` or `words`, then the candidates for the last word, one per line. */
export async function complete(words: readonly string[], world: World): Promise<void> {
  const candidates = await found(begun(words), world);
  await world.io.stdout.write(`${[candidates.files ? 'files' : 'words', ...linesOf(candidates)].join('\n')}\n`);
}

/**
 * Never rejects. Prints the candidates as kubectl expects them of a plugin (its completion is that of the Go package
 * cobra): one per line, and last a colon with a number: 0 when files are candidates too, 4 when not.
 */
export async function completeForKubectl(words: readonly string[], world: World): Promise<void> {
  const candidates = await found(words, world);
  await world.io.stdout.write(`${[...linesOf(candidates), candidates.files ? ':0' : ':4'].join('\n')}\n`);
}
