// What calictl ipam assign does: the real allocator, for a node, for a service, or for one given address.
import { type Datastore, DatastoreError, listAll } from '../../../datastore/datastore.ts';
import { ipamStoreOf } from '../../../datastore/stored-ipam.ts';
import { type Addresses, type AddressesRequest, assignAddresses } from '../../../ipam/assign/assign-addresses.ts';
import { assignIp } from '../../../ipam/assign/assign-ip.ts';
import { loadBalancerName } from '../../../ipam/assign/assignment-owner.ts';
import { partialText } from '../../../ipam/assign/auto-assign.ts';
import { sharedRanges } from '../../../ipam/block/overlaps.ts';
import type { IpamStore } from '../../../ipam/ipam-store.ts';
import { poolNamed, unknownPool } from '../../../ipam/pool/pools.ts';
import { type Cidr, parseCidr } from '../../../net/cidr.ts';
import { canonicalIp } from '../../../net/ip.ts';
import { ownAddresses } from '../../../resources/convert/node-addresses.ts';
import { calicoNode } from '../../../resources/kinds/node.ts';
import { goTimeText } from '../../../text/go-time.ts';
import { CalictlError, exitCodes, RefusedError, UsageError } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { namespaceLabels } from '../namespace-labels.ts';
import type { AssignInput } from './command.ts';
import { type IpamAssigned, ipamAssignJson, ipamAssignText } from './text.ts';

interface Done extends IpamAssigned {
  /** Why there are fewer than requested. */
  readonly shortfall: readonly Error[];
}

/** Attributes that the user names, and the time of the assignment, as the CNI plugin writes it. */
function attributesOf({ attr }: AssignInput, now: Date): Record<string, string> {
  const attributes = Object.fromEntries(attr);
  if ('node' in attributes) throw new UsageError('--attr cannot set node', 'specify the node with --node');
  return { timestamp: goTimeText(now), ...attributes };
}

/** Errors: UsageError when nothing says for whom the addresses are. */
function checkOwner({ node, use, ip }: AssignInput): void {
  if (use === 'LoadBalancer' && node !== undefined) {
    throw new UsageError('--node and --use LoadBalancer cannot be used together', 'no node has those addresses');
  }
  if (ip !== undefined || node !== undefined || use === 'LoadBalancer') return;
  throw new UsageError('nothing to assign', 'specify a node with --node, or an address with --ip');
}

export async function run(ctx: Context, input: AssignInput): Promise<Done> {
  checkOwner(input);
  const { count = 1, handle, ip, use } = input;
  const attributes = attributesOf(input, ctx.world.clock.now());
  const datastore = await ctx.datastore();
  const store = ipamStoreOf(datastore, { signal: ctx.world.signal });
  const avoid = sharedRanges(await store.blocks.list());
  if (ip !== undefined) {
    await refuseAddressOfNode(ctx, datastore, ip);
    const done = await assignIp(store, { address: ip, node: input.node, use, handle, attributes, avoid }, ctx.world);
    return { node: done.node, handle, requested: 1, addresses: [done.assigned], shortfall: [] };
  }
  const node = input.node ?? loadBalancerName;
  const families = await familiesOf(input, store);
  const done = await assignAddresses(
    store,
    {
      ...families,
      node,
      use: use ?? 'Workload',
      holder: { handle, secondary: use === 'LoadBalancer' ? attributes : { ...attributes, node } },
      namespaceLabels: await namespaceLabels(datastore, input.namespace, ctx.world.signal),
      avoid,
    },
    ctx.world,
  );
  return {
    node,
    handle,
    requested: count * Object.keys(families).length,
    addresses: done.assignments.flatMap(({ addresses }) => addresses),
    shortfall: shortfall(done, families),
  };
}

/**
 * Errors: RefusedError for an address that a node has itself: whoever gets it cuts the node off. Without the right to list
 * nodes, which CNI plugins do not have, a note says that it was not checked.
 */
async function refuseAddressOfNode(ctx: Context, store: Datastore, ip: string): Promise<void> {
  const address = canonicalIp(ip);
  const nodes = await listAll(store, calicoNode, { mode: 'scan', current: true, signal: ctx.world.signal }).catch(
    async (error: unknown) => {
      if (!(error instanceof DatastoreError) || error.reason !== 'unauthorized') throw error;
      await ctx.note(`not checked whether ${ip} is the address of a node: ${error.message}`);
      return [];
    },
  );
  const owner = nodes.find((node) => ownAddresses(node).some((own) => own === address));
  if (owner === undefined) return;
  throw new RefusedError(
    `${ip} is the address of node ${owner.metadata.name} itself`,
    'ADDRESS_OF_NODE',
    'Assign another address, and keep those of nodes out of the pool with an IPReservation.',
  );
}

type Families = Pick<AddressesRequest, 'ipv4' | 'ipv6'>;

/** What is requested of which family: IPv4 when no flag says otherwise. Of both, each takes from its own pools. */
async function familiesOf(input: AssignInput, store: IpamStore): Promise<Families> {
  const pools = await poolsOf(input, store);
  const { count = 1, ipv4, ipv6 } = input;
  if (!ipv6) return { ipv4: { count, pools } };
  if (!ipv4) return { ipv6: { count, pools } };
  const of = (family: 4 | 6) => ({ count, pools: pools.filter(({ version }) => version === family) });
  return { ipv4: of(4), ipv6: of(6) };
}

/** The pools that --pool names, by CIDR or by name, as CIDRs. */
async function poolsOf(input: AssignInput, store: IpamStore): Promise<Cidr[]> {
  const texts = input.pool;
  const pools = texts.every((text) => parseCidr(text) !== undefined) ? [] : await store.pools();
  return texts.map((text) => {
    const cidr = parseCidr(text) ?? parseCidr(poolNamed(pools, text)?.spec.cidr ?? '');
    if (cidr === undefined) throw unknownPool(text);
    return cidr;
  });
}

/** Why there are fewer than requested: one sentence per family, then what ended it. */
function shortfall({ assignments, error }: Addresses, { ipv6 }: Families): Error[] {
  const errors: Error[] = [];
  for (const assignment of assignments) {
    if (assignment.addresses.length >= assignment.requested) continue;
    const known = assignment.error instanceof CalictlError ? assignment.error : undefined;
    errors.push(
      new CalictlError(partialText(assignment), {
        code: known?.code ?? 'IPAM_EXHAUSTED',
        hint: known?.hint ?? 'calictl ipam show --show-blocks shows where addresses are left',
      }),
    );
  }
  if (error === undefined) return errors;
  // The sentence already says that the limit was reached.
  if (!(error instanceof CalictlError && error.code === 'IPAM_BLOCK_LIMIT')) errors.push(error);
  if (ipv6 !== undefined && assignments.every(({ version, error: own }) => version === 4 && own !== undefined)) {
    errors.push(
      new CalictlError('no IPv6 address was requested, because IPv4 failed', {
        code: 'IPAM_IPV4_FAILED',
        hint: 'request them with --ipv6 alone',
      }),
    );
  }
  return errors;
}

export function exit({ addresses, requested }: Done): number {
  if (addresses.length >= requested) return exitCodes.ok;
  return addresses.length > 0 ? exitCodes.partial : exitCodes.failed;
}

export const formats = { text: ipamAssignText, json: ipamAssignJson };

export const errors = ({ shortfall: why }: Done): readonly Error[] => why;
