// `label` as calicoctl has it: one label, its order of steps and its words.
import { DatastoreError } from '../../datastore/datastore.ts';
import { ResourceClient } from '../../resource-client/resource-client.ts';
import { labelled } from '../../resources/change/labels.ts';
import type { Kind } from '../../resources/kind.ts';
import { defaultNamespace, type KubeObject } from '../../resources/object.ts';
import { CalictlError, UsageError } from '../../world/errors.ts';
import { calicoctlText, identity } from '../calicoctl-errors.ts';
import type { Context, Rendered } from '../command.ts';
import { kindOfWord } from '../get/reader.ts';
import type { CalicoctlLabelInput } from './command.ts';

const failure = (message: string): CalictlError => new CalictlError(message, { code: 'LABEL_FAILED' });

/** The key, and the value unless the label is removed. Errors: CalictlError for a word that says neither. */
function labelIn({ label, remove }: CalicoctlLabelInput): { readonly key: string; readonly value: string } {
  if (remove) return { key: label, value: '' };
  const [key = '', value, ...more] = label.split('=');
  if (value === undefined || more.length > 0) throw failure(`invalid label ${label}`);
  return { key, value };
}

async function read(
  client: ResourceClient,
  kind: Kind,
  { kind: word, name, namespace }: CalicoctlLabelInput,
): Promise<KubeObject> {
  if (!kind.namespaced && namespace) throw failure(`${word} ${name} not found`);
  const ref = { name, namespace: kind.namespaced ? (namespace ?? defaultNamespace) : undefined };
  try {
    return await client.one(kind, ref);
  } catch (error) {
    if (!(error instanceof DatastoreError)) throw error;
    throw failure(`${word} ${name} not found`);
  }
}

export async function run(ctx: Context, input: CalicoctlLabelInput): Promise<string> {
  const { kind: word, name, remove, overwrite } = input;
  if (remove && overwrite) throw new UsageError('', undefined, 'USAGE');
  const { key, value } = labelIn(input);
  const prefix = `failed to get ${word} ${name}, error `;
  const kind = found(() => kindOfWord(word, ({ codec }) => codec !== undefined), prefix);
  const client = new ResourceClient(await ctx.datastore(), ctx.world, { asCalicoctl: true });
  if (name === '') throw failure(`${prefix}resource name may not be empty`);
  const object = await read(client, kind, input);
  const current = object.metadata.labels?.[key];
  if (remove && current === undefined)
    throw failure(`cannot remove label of ${word} ${name}, key ${key} does not exist`);
  if (!remove && !overwrite && current !== undefined && current !== value) {
    throw failure(
      `failed to update label of ${word} ${name}, key ${key} is already present. please use '--overwrite' to set a new value`,
    );
  }
  const change = remove ? { set: {}, remove: [key] } : { set: { [key]: value }, remove: [] };
  try {
    await client.update(kind, labelled(object, change));
  } catch (error) {
    if (!(error instanceof CalictlError)) throw error;
    throw failure(`failed to update ${word} ${name}, label not changed`);
  }
  if (remove) return `Successfully removed label ${key} from ${word} ${name}\n`;
  return current === undefined
    ? `Successfully set label ${key} on ${word} ${name}\n`
    : `Successfully updated label ${key} on ${word} ${name}\n`;
}

/** What `find` finds; its error with the prefix. */
function found<T>(find: () => T, prefix: string): T {
  try {
    return find();
  } catch (error) {
    throw failure(prefix + calicoctlText(error, identity('', '')));
  }
}

export const text = (result: string): Rendered => result;
