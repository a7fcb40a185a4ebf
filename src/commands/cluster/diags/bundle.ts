// From a scratch folder to calico-diagnostics-TIME.tar.gz in the working directory: collecting, packing, cleaning up.
import { rm, rmdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Datastore } from '../../../datastore/datastore.ts';
import { newScratchFolder } from '../../../files/scratch-folder.ts';
import { packFolder, partialName } from '../../../snapshot/pack-folder.ts';
import { CalictlError, systemText, UsageError } from '../../../world/errors.ts';
import type { OutputStream } from '../../../world/world.ts';
import type { Context } from '../../command.ts';
import { Collection, type CollectionOptions } from './collection.ts';
import type { Kubectl } from './kubectl.ts';

export interface Bundle {
  readonly path: string;
  /** How many commands of kubectl failed. */
  readonly failed: number;
}

/** A temporary folder, and the name of the folder in it that becomes the bundle. */
export interface Scratch {
  readonly folder: string;
  readonly name: string;
}

const prefix = 'calico-diagnostics-';

/** `20261130_004007`, in UTC. */
const stamp = (now: Date): string => now.toISOString().replace(/\..*/, '').replace(/[-:]/g, '').replace('T', '_');

/** A new temporary folder. */
export async function newScratch({ world }: Context): Promise<Scratch> {
  return { folder: await newScratchFolder('calictl-diags-'), name: prefix + stamp(world.clock.now()) };
}

/** The bundle among the entries of a folder that an interrupted run left. */
export function bundleAmong(entries: readonly string[]): string | undefined {
  return entries.find((entry) => entry.startsWith(prefix));
}

/** Errors: UsageError when the datastore is not a cluster. */
export function refuseFolder(store: Datastore): void {
  if (store.type === 'folder') {
    throw new UsageError('cluster diags requires a cluster, and the datastore is a directory', 'leave out --datastore');
  }
}

/** Fills the scratch folder and packs it; lines about the progress go to `progress`. Errors: those of kubectl; Ctrl-C. */
export async function collectBundle(
  ctx: Context,
  kubectl: Kubectl,
  { folder, name }: Scratch,
  options: CollectionOptions & { readonly keepScratch: boolean },
  progress: OutputStream,
): Promise<Bundle> {
  const path = `./${name}.tar.gz`;
  const bundle = resolve(ctx.world.cwd, path);
  const unwritable = (cause: unknown, hint: string): CalictlError =>
    new CalictlError(`the bundle ${bundle} cannot be written: ${systemText(cause)}`, {
      code: 'BUNDLE_UNWRITABLE',
      hint,
      cause,
    });
  const goOn = `Continue in another directory with: calictl cluster diags --resume ${folder}`;
  await tryToWrite(bundle).catch(async (cause: unknown) => {
    // It has something only when an earlier run was interrupted.
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    throw unwritable(cause, isGone ? 'Run the command in a writable directory.' : goOn);
  });
  const collection = new Collection(ctx, kubectl, join(folder, name), options, progress);
  await collection.say('==== Begin collecting diagnostics. ====');
  await collection.say(`Created temporary directory: ${folder}`);
  try {
    await collection.certificates();
    await collection.pods();
    await collection.cluster();
  } catch (error) {
    await ctx.note(`what was collected is kept; continue with: calictl cluster diags --resume ${folder}`);
    throw error;
  }
  await collection.say('\n==== Producing a diagnostics bundle. ====');
  await packFolder(join(folder, name), name, bundle).catch((cause: unknown) => {
    throw unwritable(cause, goOn);
  });
  if (!options.keepScratch) await rm(folder, { recursive: true });
  return { path, failed: collection.failed };
}

/** Before minutes are spent on what cannot be kept. Errors: those of the file system. */
async function tryToWrite(bundle: string): Promise<void> {
  const partial = partialName(bundle);
  await writeFile(partial, '');
  await rm(partial);
}

/** The last line. */
export const bundleText = ({ path }: Bundle): string => `Diagnostic bundle created at ${path}\n`;
