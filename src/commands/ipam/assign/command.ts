// calictl ipam assign: take addresses for a node, as its CNI plugin would, or one given address.
import type { Datastore } from '../../../datastore/datastore.ts';
import type { Addresses, AddressesRequest } from '../../../ipam/assign/assign-addresses.ts';
import type { IpamStore } from '../../../ipam/ipam-store.ts';
import type { IntendedUse } from '../../../ipam/pool/pool-choice.ts';
import type { Cidr } from '../../../net/cidr.ts';
import type { Labels } from '../../../resources/selector.ts';
import { CalictlError, type ExitCode, exitCodes, invalidIp, UsageError } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { nodeOf, outputFlag, pairsOf } from '../../shared-flags.ts';
import type { IpamAssigned } from './text.ts';

interface Done extends IpamAssigned {
  /** Why there are fewer than requested. */
  readonly shortfall: readonly Error[];
}

const uses: readonly IntendedUse[] = ['Workload', 'Tunnel', 'LoadBalancer'];
const mostAtOnce = 65536;

function countOf(input: Input): number {
  const text = input.text('count') ?? '1';
  const count = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= mostAtOnce) return count;
  throw new UsageError(`--count does not take '${text}'`, `write a number from 1 to ${mostAtOnce}`);
}

async function handleOf(input: Input): Promise<string | undefined> {
  const handle = input.text('handle');
  if (handle === undefined) return undefined;
  const { handleName, isObjectName, windowsHandle } = await import('../../../resources/names.ts');
  // A handle is stored under its name in lower case, which Kubernetes must take as one.
  if (!isObjectName(handleName(handle)) || handleName(handle) === windowsHandle) {
    const hint = 'use letters, digits, - and single dots between them, like manual.db-1; at most 253 characters';
    throw new UsageError(`--handle does not take '${handle}'`, hint);
  }
  return handle;
}

/** Attributes that the person names, and the time of the assignment, as the CNI plugin writes it. */
async function attributesOf(input: Input, now: Date): Promise<Record<string, string>> {
  const attributes = Object.fromEntries(pairsOf(input, 'attr'));
  if ('node' in attributes) throw new UsageError('--attr does not take node', 'name the node with --node');
  const { goTimeText } = await import('../../../text/go-time.ts');
  return { timestamp: goTimeText(now), ...attributes };
}

const forGivenAddress = 'assign one given address, or any';

function checkTogether(input: Input): void {
  const node = nodeOf(input);
  if (useOf(input) === 'LoadBalancer' && node !== undefined) {
    throw new UsageError('--node and --use LoadBalancer cannot be used together', 'no node has those addresses');
  }
  if (input.text('ip') === undefined) {
    if (node !== undefined || useOf(input) === 'LoadBalancer') return;
    throw new UsageError('nothing to assign', 'name a node with --node, or an address with --ip');
  }
  const other = ['count', 'pool', 'ipv4', 'ipv6', 'namespace'].find(
    (flag) => input.texts(flag).length > 0 || input.on(flag),
  );
  if (other !== undefined) throw new UsageError(`--ip and --${other} cannot be used together`, forGivenAddress);
}

function useOf(input: Input): IntendedUse | undefined {
  return input.text('use') as IntendedUse | undefined;
}

async function run(ctx: Context, input: Input): Promise<Done> {
  checkTogether(input);
  const attributes = await attributesOf(input, ctx.world.clock.now());
  const handle = await handleOf(input);
  const count = countOf(input);
  const given = input.text('ip');
  const use = useOf(input);
  const { canonicalIp } = await import('../../../net/ip.ts');
  if (given !== undefined && canonicalIp(given) === undefined) throw invalidIp(given);
  const datastore = await ctx.datastore();
  const { ipamStoreOf } = await import('../../../datastore/stored-ipam.ts');
  const store = ipamStoreOf(datastore, { signal: ctx.world.signal });
  const { sharedRanges } = await import('../../../ipam/block/overlaps.ts');
  const avoid = sharedRanges(await store.blocks.list());
  if (given !== undefined) {
    const { assignIp } = await import('../../../ipam/assign/assign-ip.ts');
    const done = await assignIp(
      store,
      { address: given, node: input.text('node'), use, handle, attributes, avoid },
      ctx.world,
    );
    return { node: done.node, handle, requested: 1, addresses: [done.assigned], shortfall: [] };
  }
  const { assignAddresses } = await import('../../../ipam/assign/assign-addresses.ts');
  const { loadBalancerName } = await import('../../../ipam/assign/assignment-owner.ts');
  const node = input.text('node') ?? loadBalancerName;
  const families = await familiesOf(input, count, store);
  const done = await assignAddresses(
    store,
    {
      ...families,
      node,
      use: use ?? 'Workload',
      holder: { handle, secondary: use === 'LoadBalancer' ? attributes : { ...attributes, node } },
      namespaceLabels: await namespaceLabels(input, datastore, ctx.world.signal),
      avoid,
    },
    ctx.world,
  );
  return {
    node,
    handle,
    requested: count * Object.keys(families).length,
    addresses: done.assignments.flatMap(({ addresses }) => addresses),
    shortfall: await shortfall(done, families),
  };
}

type Families = Pick<AddressesRequest, 'ipv4' | 'ipv6'>;

/** What is wanted of which family: of IPv4, when no flag says it. Of both, each takes from the pools of its own. */
async function familiesOf(input: Input, count: number, store: IpamStore): Promise<Families> {
  const pools = await poolsOf(input, store);
  const [ipv4, ipv6] = [input.on('ipv4'), input.on('ipv6')];
  if (!ipv6) return { ipv4: { count, pools } };
  if (!ipv4) return { ipv6: { count, pools } };
  const of = (family: 4 | 6) => ({ count, pools: pools.filter(({ version }) => version === family) });
  return { ipv4: of(4), ipv6: of(6) };
}

async function namespaceLabels(input: Input, datastore: Datastore, signal: AbortSignal): Promise<Labels | undefined> {
  const name = input.text('namespace');
  if (name === undefined) return undefined;
  const { getIfAny } = await import('../../../datastore/datastore.ts');
  const { namespace } = await import('../../../resources/kinds/namespace.ts');
  const found = await getIfAny(datastore, namespace, { name }, { signal });
  if (found !== undefined) return found.metadata.labels ?? {};
  throw new CalictlError(`namespace ${name} does not exist`, {
    code: 'NAMESPACE_NOT_FOUND',
    hint: 'without --namespace, pools that select namespaces see one without labels',
  });
}

/** What --pool names, by CIDR or by name, as CIDRs. */
async function poolsOf(input: Input, store: IpamStore): Promise<Cidr[]> {
  const [{ parseCidr }, { poolNamed, unknownPool }] = await Promise.all([
    import('../../../net/cidr.ts'),
    import('../../../ipam/pool/pools.ts'),
  ]);
  const texts = input.texts('pool');
  const pools = texts.every((text) => parseCidr(text) !== undefined) ? [] : await store.pools();
  return texts.map((text) => {
    const cidr = parseCidr(text) ?? parseCidr(poolNamed(pools, text)?.spec.cidr ?? '');
    if (cidr === undefined) throw unknownPool(text);
    return cidr;
  });
}

/** Why there are fewer than requested: a sentence a family, then what ended it. */
async function shortfall({ assignments, error }: Addresses, { ipv6 }: Families): Promise<Error[]> {
  const { partialText } = await import('../../../ipam/assign/auto-assign.ts');
  const errors: Error[] = [];
  for (const assignment of assignments) {
    if (assignment.addresses.length >= assignment.requested) continue;
    const known = assignment.error instanceof CalictlError ? assignment.error : undefined;
    errors.push(
      new CalictlError(partialText(assignment), {
        code: known?.code ?? 'IPAM_EXHAUSTED',
        hint: known?.hint ?? 'calictl ipam show --show-blocks tells where addresses are left',
      }),
    );
  }
  if (error === undefined) return errors;
  // The sentence says already that the limit was reached.
  if (!(error instanceof CalictlError && error.code === 'IPAM_BLOCK_LIMIT')) errors.push(error);
  if (ipv6 !== undefined && assignments.every(({ version, error: own }) => version === 4 && own !== undefined)) {
    errors.push(
      new CalictlError('no IPv6 address was tried for, because IPv4 failed', {
        code: 'IPAM_IPV4_FAILED',
        hint: 'ask for them with --ipv6 alone',
      }),
    );
  }
  return errors;
}

function exit({ addresses, requested }: Done): ExitCode {
  if (addresses.length >= requested) return exitCodes.ok;
  return addresses.length > 0 ? exitCodes.partial : exitCodes.failed;
}

export const ipamAssign = defineCommand<Done>({
  path: ['ipam', 'assign'],
  summary: 'Take addresses for a node, or one given address',
  description:
    "From the node's own blocks, then from a new one, then, without strict affinity, borrowed from blocks of other " +
    'nodes: the same way and with the same objects as the CNI plugin does it. Nothing configures the address anywhere; ' +
    'it is held until it is released.',
  examples: [
    { command: 'calictl ipam assign --node node-a --handle manual-1', about: 'one address for a node' },
    {
      command: 'calictl ipam assign --node node-a --count 3 --pool pool-1 --handle db -o json',
      about: 'three of one pool, for a script',
    },
    { command: 'calictl ipam assign --node node-a --ipv4 --ipv6 --handle pod-1', about: 'one of each family' },
    { command: 'calictl ipam assign --ip 10.60.0.9 --node node-a --handle manual-1', about: 'exactly this address' },
  ],
  args: [],
  flags: [
    { name: 'node', value: 'NODE', about: 'the node that the addresses are for; with --ip: the owner of its block' },
    { name: 'count', value: 'COUNT', about: 'how many of each family, 1 when not given' },
    { name: 'pool', value: 'POOL', about: 'take them from this pool (name or CIDR)', repeatable: true },
    { name: 'ipv4', about: 'IPv4 addresses, as when no family is named; with --ipv6: of both' },
    { name: 'ipv6', about: 'IPv6 addresses' },
    { name: 'namespace', value: 'NAMESPACE', about: 'the namespace they are for, where pools select by namespace' },
    { name: 'use', value: 'USE', about: 'what they are for, Workload when not given', choices: [...uses] },
    { name: 'ip', value: 'IP', about: 'exactly this address' },
    { name: 'handle', value: 'HANDLE', about: 'the ID to release them by' },
    { name: 'attr', value: 'KEY=VALUE', about: 'what else to record of the holder', repeatable: true },
    outputFlag('text', 'json'),
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'text',
  formats: {
    text: async (done) => (await import('./text.ts')).ipamAssignText(done),
    json: async (done) => (await import('./text.ts')).ipamAssignJson(done),
  },
  exit,
  errors: ({ shortfall }) => shortfall,
});
