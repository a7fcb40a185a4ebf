// The objects that a command writes, with their namespaces: from manifests, or named on the command line.
import { printable } from '../output/printable.ts';
import type { Kind } from '../resources/kind.ts';
import { storedApiVersion, v3ApiVersion } from '../resources/kind.ts';
import { defaultNamespace, type KubeObject } from '../resources/object.ts';
import { UsageError } from '../world/errors.ts';
import type { Context } from './command.ts';
import { loadManifests, type ManifestInput } from './load-manifests.ts';
import type { Target } from './object-writes.ts';

/** The object in the namespace that the command line, else the object, else the default names. Errors: UsageError. */
function placed(kind: Kind, object: KubeObject, given: string | undefined): KubeObject {
  const { namespace, ...metadata } = object.metadata;
  const subject = `${kind.kind} ${printable(object.metadata.name)}`;
  if (!kind.namespaced) {
    if (namespace)
      throw new UsageError(`${subject}: ${kind.kind} has no namespaces`, 'remove metadata.namespace', 'NAMESPACE');
    if (given !== undefined)
      throw new UsageError(`${subject}: ${kind.kind} has no namespaces`, 'leave out -n', 'NAMESPACE');
    return { ...object, metadata };
  }
  if (namespace && given !== undefined && namespace !== given) {
    throw new UsageError(
      `${subject} is in namespace ${printable(namespace)}, not in ${given}`,
      'leave out -n',
      'NAMESPACE',
    );
  }
  return { ...object, metadata: { ...metadata, namespace: namespace || given || defaultNamespace } };
}

export interface TargetInput extends ManifestInput {
  readonly namespace: string | undefined;
}

/** The objects of the manifests. Errors: those of reading them; UsageError for a namespace, with its place. */
export async function manifestTargets(ctx: Pick<Context, 'world'>, input: TargetInput): Promise<Target[]> {
  return (await loadManifests(ctx, input)).map(({ kind, object, file, line }) => {
    const place = `${file}:${line}`;
    try {
      return { kind, object: placed(kind, object, input.namespace), place };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError(`${place}: ${error.message}`, error.hint, error.code);
    }
  });
}

/** Objects that are only named. Errors: UsageError for a namespace where there is none. */
export function namedTargets(kind: Kind, names: readonly string[], namespace: string | undefined): Target[] {
  const apiVersion = kind.codec === undefined ? storedApiVersion(kind) : v3ApiVersion;
  return names.map((name) => {
    const object = { apiVersion, kind: kind.kind, metadata: { name } };
    return { kind, object: placed(kind, object, namespace) };
  });
}
