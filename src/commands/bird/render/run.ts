// What calictl bird render does: makes the files of one or all nodes, and writes them if it is asked to.
import { join } from 'node:path';
import { birdFileNames } from '../../../bird-config/bird-files.ts';
import { makeFolder } from '../../../files/make-folder.ts';
import { outputPath } from '../../../files/output-path.ts';
import { writeOutputFile } from '../../../files/regular-file.ts';
import { isObjectName } from '../../../resources/names.ts';
import { CalictlError, exitCodes, systemText } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { nodeTargets } from '../../node/targets.ts';
import { environmentOf } from '../environment-flag.ts';
import { readPasswords } from '../passwords.ts';
import {
  configurationOf,
  distinctErrors,
  type NodeConfiguration,
  plannedConfiguration,
  remarkLines,
} from '../planned-configuration.ts';
import type { RenderInput } from './command.ts';
import type { Rendered } from './rendered.ts';
import { renderedJson, renderedText } from './text.ts';

export async function run(ctx: Context, input: RenderInput): Promise<Rendered> {
  const store = await ctx.datastore();
  const { cwd, signal } = ctx.world;
  const folder = input.out && outputPath(cwd, input.out, store, 'the output', '--out DIR');
  const planned = await plannedConfiguration(store, signal);
  const environment = environmentOf(input.env);
  const passwords = await readPasswords(ctx, store, planned.plan, environment, input.showSecrets);
  const targets = nodeTargets(planned.nodes, input.node === undefined ? [] : [input.node]);
  const items = targets.map(({ name }) => configurationOf(planned, name, environment, passwords));
  for (const line of remarkLines(items)) await ctx.note(`warning: ${line}`);
  if (!folder) return { items, written: undefined };
  const rendered = items.flatMap((item) =>
    item.files === undefined
      ? []
      : { files: item.files, into: input.node === undefined ? join(folder, folderOf(item.node)) : folder },
  );
  const written: string[] = [];
  for (const { into, files } of rendered) written.push(...(await writeFiles(into, files, input.showSecrets)));
  return { items, written };
}

/** Errors: CalictlError for a name that cannot be that of a directory here; a folder of manifests may have any. */
function folderOf(node: string): string {
  if (isObjectName(node)) return node;
  throw new CalictlError(`${JSON.stringify(node)} is not the name of a node`, { code: 'INVALID_NODE_NAME' });
}

async function writeFiles(
  folder: string,
  files: Extract<NodeConfiguration, { remarks: unknown }>['files'],
  forOwnerOnly: boolean,
): Promise<string[]> {
  try {
    await makeFolder(folder);
    for (const name of birdFileNames) await writeOutputFile(join(folder, name), files[name], forOwnerOnly);
  } catch (cause) {
    throw new CalictlError(`cannot write into ${folder}: ${systemText(cause)}`, { code: 'OUTPUT_UNWRITABLE', cause });
  }
  return birdFileNames.map((name) => join(folder, name));
}

export const formats = { text: renderedText, json: renderedJson };

export function exit({ items }: Rendered): number {
  const failed = items.filter(({ files }) => files === undefined).length;
  if (failed > 0) return failed === items.length ? exitCodes.failed : exitCodes.partial;
  const isRefused = items.some((item) => item.files !== undefined && item.remarks.some(({ refused }) => refused));
  return isRefused ? exitCodes.findings : exitCodes.ok;
}

export const errors = ({ items }: Rendered): readonly Error[] =>
  distinctErrors(items.map((item) => (item.files === undefined ? item.error : undefined)));
