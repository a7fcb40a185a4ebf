// Which nodes a command is about, and reading them: the Node objects of the datastore, or those that were named.

import { whyNotAsked } from '../../datapath/installation/not-asked.ts';
import { DatastoreError } from '../../datastore/datastore.ts';
import type { NodeTarget } from '../../node-exec/node-exec.ts';
import { readNodes } from '../../node-live/read-nodes.ts';
import type { NodeReading, Probe } from '../../node-state/probes.ts';
import type { NodeNotAsked } from '../../node-state/unreached.ts';
import { bgpOf } from '../../resources/convert/node-annotations.ts';
import { calicoNode, nodeNotFound } from '../../resources/kinds/node.ts';
import type { CoreNode } from '../../resources/kinds/node-fields.ts';
import { CalictlError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import { type BirdInput, noDeadlineMs, type ReadingInput } from '../transport-flags.ts';

const addressOrder = ['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS'];

/** A node as transports know it: its own addresses, the internal one first, then what Calico detected. */
function targetOf(node: CoreNode): NodeTarget {
  const bgp = bgpOf(node.metadata.annotations);
  const detected = [bgp?.ipv4Address, bgp?.ipv6Address].flatMap((text) => (text ? [text.replace(/\/.*$/, '')] : []));
  const addresses = [...(node.status?.addresses ?? [])]
    .filter(({ type }) => addressOrder.includes(type))
    .sort((a, b) => addressOrder.indexOf(a.type) - addressOrder.indexOf(b.type))
    .map(({ address }) => address);
  return { name: node.metadata.name, addresses: [...new Set([...addresses, ...detected])] };
}

/**
 * The targets among all nodes, in order of their names: those named, else all.
 * Errors: CalictlError when a name is not the name of a node, and when there are no nodes.
 */
export function nodeTargets(nodes: readonly CoreNode[], names: readonly string[]): NodeTarget[] {
  const known = new Map(nodes.map((node) => [node.metadata.name, node]));
  if (known.size === 0) {
    throw new CalictlError('the datastore has no nodes', {
      code: 'NO_NODES',
      hint: 'check that this is the right cluster; to a directory of manifests, add the output of: kubectl get nodes -o yaml',
    });
  }
  const wanted = names.length === 0 ? [...known.keys()].sort() : [...new Set(names)];
  return wanted.map((name) => {
    const node = known.get(name);
    if (node === undefined) throw nodeNotFound(name);
    return targetOf(node);
  });
}

/** The targets as nodeTargets has them, but for nodes on which calico-node never runs: those are reported as such. */
export function askableTargets(
  nodes: readonly CoreNode[],
  names: readonly string[],
): { readonly targets: readonly NodeTarget[]; readonly notAsked: readonly NodeNotAsked[] } {
  const whyByNode = new Map(
    nodes.flatMap((node) => {
      const why = whyNotAsked(node);
      return why === undefined ? [] : [[node.metadata.name, why] as const];
    }),
  );
  const targets = nodeTargets(nodes, names);
  return {
    targets: targets.filter(({ name }) => !whyByNode.has(name)),
    notAsked: targets.flatMap(({ name: node }) => {
      const why = whyByNode.get(node);
      return why === undefined ? [] : [{ node, why }];
    }),
  };
}

/** What `use` makes of each target's answers, read by the transport that the flags name, with progress on a terminal. */
export async function readTargets<T>(
  ctx: Context,
  input: ReadingInput,
  targets: readonly NodeTarget[],
  probesOf: (node: string) => readonly Probe[],
  use: (reading: NodeReading) => T,
): Promise<readonly T[]> {
  const exec = await ctx.nodeExec(input);
  const progress = (done: number): void => ctx.progress('querying', { done, total: targets.length, unit: 'nodes' });
  progress(0);
  return readNodes(exec, targets, probesOf, use, {
    timeoutMs: Math.min(input.timeout, noDeadlineMs),
    parallel: input.parallel,
    signal: ctx.world.signal,
    onDone: progress,
  });
}

/** Where BIRD's sockets are on a node, by --bird-dir; undefined for the usual places. */
export function birdFolder({ birdDir }: BirdInput, node: string): string | undefined {
  return birdDir?.replaceAll('{node}', node);
}

/** The one node of that name. Errors: CalictlError with the hint when there is none; those of the datastore's get. */
export async function targetNamed(ctx: Context, name: string, hint?: string): Promise<NodeTarget> {
  const store = await ctx.datastore();
  try {
    return targetOf(await store.get(calicoNode, { name }, { signal: ctx.world.signal }));
  } catch (error) {
    if (error instanceof DatastoreError && error.reason === 'not-found') throw nodeNotFound(name, hint);
    throw error;
  }
}
