// The reading half of `get`: kind and names on the command line -> objects of the datastore in the form people see.
import { type Datastore, DatastoreError, listAll } from '../../datastore/datastore.ts';
import { labelSelector } from '../../datastore/label-selector.ts';
import { toV3 } from '../../resources/convert/v3.ts';
import { workloadEndpointOf } from '../../resources/convert/workload-endpoint-of-pod.ts';
import type { ColumnContext, Kind } from '../../resources/kind.ts';
import { ipPool } from '../../resources/kinds/ip-pool.ts';
import { ipReservation } from '../../resources/kinds/ip-reservation.ts';
import { pod } from '../../resources/kinds/pod.ts';
import { workloadEndpoint } from '../../resources/kinds/workload-endpoint.ts';
import { findKind, kinds } from '../../resources/kinds.ts';
import type { KubeObject, ObjectMeta } from '../../resources/object.ts';
import type { Found, Selection, ShownObject, ShownPage } from '../../resources/query-result.ts';
import { CalictlError, UsageError } from '../../world/errors.ts';
import { calicoctlText, identity } from '../calicoctl-errors.ts';
import type { Context } from '../command.ts';

export interface ObjectQuery {
  readonly kind: string;
  readonly names: readonly string[];
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  /** Label selector, for lists. */
  readonly selector: string | undefined;
  /** Without what belongs to this cluster, for objects that are named. */
  readonly stripped: boolean;
  readonly headings: readonly string[];
}

/** Errors: UsageError for a word that names no kind, in compat mode also for the kinds that calicoctl does not have. */
function kindFor(word: string, compat: boolean): Kind {
  const kind = findKind(word);
  if (kind !== undefined && (kind.v3 || !compat)) return kind;
  const known = kinds.filter(({ onCommandLine }) => onCommandLine).map(({ aliases }) => aliases[0]);
  throw new UsageError(`resource type '${word}' is not supported`, `kinds are ${known.join(', ')}`, 'UNKNOWN_KIND');
}

function refuseEmptyNames(names: readonly string[]): void {
  if (names.includes(''))
    throw new UsageError('resource name may not be empty', 'leave the name out to show all', 'EMPTY_NAME');
}

/** The namespace to read, undefined for all or none. Errors: UsageError when the flags do not fit the kind. */
function namespaceFor(kind: Kind, query: ObjectQuery): string | undefined {
  const { namespace, allNamespaces, names } = query;
  if (!kind.namespaced) {
    if (allNamespaces || namespace !== undefined)
      throw new UsageError(`${kind.kind} is not namespaced`, 'leave -n and -A out', 'NAMESPACE');
    return undefined;
  }
  if (allNamespaces && namespace !== undefined) {
    throw new UsageError(
      'cannot use both --namespace and --all-namespaces flags at the same time',
      'leave one of them out',
      'NAMESPACE',
    );
  }
  if (allNamespaces && names.length > 0) {
    throw new UsageError(
      'cannot use --all-namespace flag for getting a single resource',
      'name its namespace with -n',
      'NAMESPACE',
    );
  }
  return allNamespaces ? undefined : (namespace ?? 'default');
}

/** Name of the pod in `node--a-k8s-cart--0-eth0`; dashes inside the parts are doubled. */
function podOfEndpoint(name: string): string | undefined {
  return /^.*[^-]-k8s-([^-].*)-eth0$/.exec(name)?.[1]?.replaceAll('--', '-');
}

/** Reads one kind in the form people see. */
class Reader {
  readonly #store: Datastore;
  readonly #kind: Kind;
  readonly #signal: AbortSignal;
  readonly #interfacePrefix: string;

  constructor(store: Datastore, kind: Kind, { world }: Context) {
    this.#store = store;
    this.#kind = kind;
    this.#signal = world.signal;
    this.#interfacePrefix = world.env['FELIX_INTERFACEPREFIX']?.split(',')[0] || 'cali';
  }

  #shown = (stored: KubeObject): ShownObject => ({
    stored,
    shown: toV3(this.#kind, stored),
  });

  /** Only folders keep endpoints of their own; everywhere they are made from pods. */
  get #keepsEndpoints(): boolean {
    return this.#store.type !== 'kubernetes';
  }

  async *pages(namespace: string | undefined, selector: string | undefined): AsyncIterable<ShownPage> {
    const options = { signal: this.#signal, namespace };
    const selects = selector === undefined ? () => true : labelSelector(selector);
    // Calico's labels are in an annotation of the stored object: the server could not select by them.
    const chosen = (items: readonly ShownObject[]): ShownObject[] =>
      items.filter(({ shown }) => selects(shown.metadata.labels ?? {}));
    if (this.#kind.kind === workloadEndpoint.kind) {
      for await (const { items, resourceVersion } of this.#store.list(pod, options)) {
        const endpoints = items.flatMap((item) => workloadEndpointOf(item, this.#interfacePrefix) ?? []);
        yield {
          items: chosen(endpoints.map((item) => ({ stored: item, shown: item }))),
          resourceVersion,
        };
      }
      if (!this.#keepsEndpoints) return;
    }
    for await (const { items, resourceVersion } of this.#store.list(this.#kind, options)) {
      yield { items: chosen(items.map(this.#shown)), resourceVersion };
    }
  }

  /** Errors: DatastoreError not-found, and whatever the store has. */
  async one(name: string, namespace: string | undefined): Promise<ShownObject> {
    if (this.#kind.kind === workloadEndpoint.kind) {
      const podName = podOfEndpoint(name);
      if (podName === undefined && !this.#keepsEndpoints) {
        const storeText = 'malformed WorkloadEndpoint name - unable to determine Pod name';
        throw new DatastoreError('not-found', '', { storeText });
      }
      const ref = { name: podName ?? name, namespace };
      const found = await this.#store.get(pod, ref, { signal: this.#signal }).catch((error: unknown) => {
        const elsewhere = error instanceof DatastoreError && error.reason === 'not-found' && this.#keepsEndpoints;
        if (!elsewhere) throw error;
        return undefined;
      });
      const endpoint = found && workloadEndpointOf(found, this.#interfacePrefix);
      if (endpoint?.metadata.name === name) return { stored: endpoint, shown: endpoint };
      if (!this.#keepsEndpoints) {
        throw new DatastoreError('not-found', '', {
          storeText: `pods "${ref.name}" not found`,
        });
      }
    }
    return this.#shown(await this.#store.get(this.#kind, { name, namespace }, { signal: this.#signal }));
  }
}

/** For another cluster: without what this one gave the object. */
function stripped({ stored, shown }: ShownObject): ShownObject {
  const own = ['namespace', 'uid', 'resourceVersion', 'deletionTimestamp', 'deletionGracePeriodSeconds'];
  const kept = Object.entries(shown.metadata).filter(([field]) => !own.includes(field));
  const metadata = {
    ...Object.fromEntries(kept),
    creationTimestamp: null,
  } as ObjectMeta;
  return { stored, shown: { ...shown, metadata } };
}

function errorFor(
  error: DatastoreError,
  kind: Kind,
  name: string,
  namespace: string | undefined,
  compat: boolean,
): Error {
  if (compat) return new CalictlError(calicoctlText(error, identity(kind.kind, name, namespace)), { code: error.code });
  if (error.reason !== 'not-found' || error.missingKind) return error;
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return new DatastoreError('not-found', `${kind.kind} ${name} does not exist${where}`, { cause: error });
}

async function clusterAsNumber(store: Datastore, signal: AbortSignal): Promise<string> {
  const { bgpConfiguration } = await import('../../resources/kinds/bgp-configuration.ts');
  try {
    const { spec } = await store.get(bgpConfiguration, { name: 'default' }, { signal });
    return String(spec.asNumber ?? 64512);
  } catch (error) {
    return error instanceof DatastoreError && error.reason === 'not-found' ? '64512' : 'unknown';
  }
}

async function columnContext(
  store: Datastore,
  kind: Kind,
  headings: readonly string[],
  signal: AbortSignal,
): Promise<ColumnContext> {
  const needs = (kindName: string, heading: string): boolean => kind.kind === kindName && headings.includes(heading);
  const [asNumber, pools, reservations] = await Promise.all([
    needs('Node', 'ASN') ? clusterAsNumber(store, signal) : '',
    needs('IPAMBlock', 'POOL') ? listAll(store, ipPool, { signal }) : [],
    needs('IPAMBlock', 'RESERVED') ? listAll(store, ipReservation, { signal }) : [],
  ]);
  return {
    clusterAsNumber: asNumber,
    pools: pools.map(({ metadata, spec }) => ({ name: metadata.name, cidr: spec.cidr })),
    reservedCidrs: reservations.flatMap(({ spec }) => spec.reservedCIDRs ?? []),
  };
}

async function* replay(pages: readonly ShownPage[]): AsyncIterable<ShownPage> {
  yield* pages;
}

/**
 * Finds what a `get` asks for. Lists are read as they are shown, in compat mode before.
 * Errors: UsageError for what no datastore could answer; those of opening the datastore.
 */
export async function selectObjects(ctx: Context, query: ObjectQuery): Promise<Selection> {
  const { compat, world } = ctx;
  const kind = kindFor(query.kind, compat);
  if (!compat) refuseEmptyNames(query.names);
  if (query.selector !== undefined) {
    if (query.names.length > 0)
      throw new UsageError('--selector and names cannot be used together', 'leave one of them out');
    labelSelector(query.selector);
  }
  if (!compat) {
    const { columnsOf } = await import('./tables.ts');
    columnsOf(kind, 'custom-columns', query.headings, false);
  }

  const errors: Error[] = [];
  const found: Found[] = [];
  const selection = (store: Datastore): Selection => ({
    found,
    withNamespace: query.namespace !== undefined || query.allNamespaces,
    headings: query.headings,
    columnContext: (wanted) => columnContext(store, kind, wanted, world.signal),
    errors,
  });

  let namespace: string | undefined;
  if (!compat) namespace = namespaceFor(kind, query);
  const store = await ctx.datastore();
  if (compat) {
    refuseEmptyNames(query.names);
    try {
      namespace = namespaceFor(kind, query);
    } catch (error) {
      // calicoctl finds it out object by object.
      const message = error instanceof Error ? error.message : '';
      const each = query.names.length === 0 ? [''] : query.names;
      errors.push(...each.map(() => new CalictlError(message, { code: 'NAMESPACE' })));
      return selection(store);
    }
  }

  const reader = new Reader(store, kind, ctx);
  for (const name of query.names) {
    try {
      const object = await reader.one(name, namespace);
      found.push({
        type: 'object',
        kind,
        object: query.stripped ? stripped(object) : object,
      });
    } catch (error) {
      if (!(error instanceof DatastoreError)) throw error;
      errors.push(errorFor(error, kind, name, namespace, compat));
      if (error.reason === 'unavailable' && !compat) break;
    }
  }
  if (query.names.length > 0) return selection(store);

  const pages = reader.pages(namespace, query.selector);
  if (!compat) {
    found.push({ type: 'list', kind, pages });
    return selection(store);
  }
  try {
    const all: ShownPage[] = [];
    for await (const page of pages) all.push(page);
    found.push({ type: 'list', kind, pages: replay(all) });
  } catch (error) {
    if (!(error instanceof DatastoreError)) throw error;
    errors.push(new CalictlError(calicoctlText(error), { code: error.code }));
  }
  return selection(store);
}
