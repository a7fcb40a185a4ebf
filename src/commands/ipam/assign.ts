// calictl ipam assign: take addresses for a node, as its CNI plugin would, or one given address.
import type { Assignment } from '../../ipam/auto-assign.ts';
import type { Cidr } from '../../net/cidr.ts';
import type { IpamAssigned } from '../../output/ipam-assign.ts';
import { CalictlError, type ExitCode, exitCodes, invalidIp, UsageError } from '../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../command.ts';

interface Done extends IpamAssigned {
  /** Why there are fewer than requested. */
  readonly shortfall: readonly Error[];
}

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
  const { handleName, windowsHandle } = await import('../../resources/names.ts');
  // A handle is stored under its name in lower case, which Kubernetes must take as one.
  const fits = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(handleName(handle)) && handle.length <= 253;
  if (!fits || handleName(handle) === windowsHandle) {
    throw new UsageError(`--handle does not take '${handle}'`, 'use letters, digits, - and . like manual.db-1');
  }
  return handle;
}

/** Attributes that the person names, and the time of the assignment, as the CNI plugin writes it. */
async function attributesOf(input: Input, now: Date): Promise<Record<string, string>> {
  const attributes: [string, string][] = input.texts('attr').map((text) => {
    const [, key = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (key === '') throw new UsageError(`--attr does not take '${text}'`, 'write it as KEY=VALUE');
    if (key === 'node') throw new UsageError('--attr does not take node', 'name the node with --node');
    return [key, value];
  });
  const { goTimeText } = await import('../../resources/go-time.ts');
  return { timestamp: goTimeText(now), ...Object.fromEntries(attributes) };
}

function checkTogether(input: Input): void {
  if (input.text('node') === '') throw new UsageError('--node is empty', 'name a node');
  if (input.text('ip') === undefined) {
    if (input.text('node') !== undefined) return;
    throw new UsageError('nothing to assign', 'name a node with --node, or an address with --ip');
  }
  const other =
    ['count', 'pool'].find((flag) => input.texts(flag).length > 0) ?? (input.on('ipv6') ? 'ipv6' : undefined);
  if (other === undefined) return;
  throw new UsageError(`--ip and --${other} cannot be used together`, 'assign one given address, or any');
}

async function run(ctx: Context, input: Input): Promise<Done> {
  checkTogether(input);
  const attributes = await attributesOf(input, ctx.world.clock.now());
  const handle = await handleOf(input);
  const count = countOf(input);
  const given = input.text('ip');
  const node = input.text('node');
  const { canonicalIp } = await import('../../net/ip.ts');
  if (given !== undefined && canonicalIp(given) === undefined) throw invalidIp(given);
  const datastore = await ctx.datastore();
  const { ipamStoreOf } = await import('../../datastore/stored-ipam.ts');
  const store = ipamStoreOf(datastore, { signal: ctx.world.signal });
  if (given !== undefined) {
    const { assignIp } = await import('../../ipam/assign-ip.ts');
    const done = await assignIp(store, { address: given, node, handle, attributes }, ctx.world);
    return { node: done.node, handle, requested: 1, addresses: [done.assigned], shortfall: [] };
  }
  const owner = node as string;
  const { autoAssign } = await import('../../ipam/auto-assign.ts');
  const assignment = await autoAssign(
    store,
    {
      ...{ node: owner, count, version: input.on('ipv6') ? 6 : 4, use: 'Workload' },
      holder: { handle, secondary: { ...attributes, node: owner } },
      pools: await poolsOf(input, store),
    },
    ctx.world,
  );
  return {
    node: owner,
    handle,
    requested: count,
    addresses: assignment.addresses,
    shortfall: await shortfall(assignment),
  };
}

/** What --pool names, by CIDR or by name, as CIDRs. */
async function poolsOf(
  input: Input,
  store: { pools(): Promise<readonly { metadata: { name: string }; spec: { cidr: string } }[]> },
): Promise<Cidr[]> {
  const { parseCidr } = await import('../../net/cidr.ts');
  const texts = input.texts('pool');
  const byName = texts.every((text) => parseCidr(text) !== undefined) ? [] : await store.pools();
  return texts.map((text) => {
    const cidr = parseCidr(text) ?? parseCidr(byName.find(({ metadata }) => metadata.name === text)?.spec.cidr ?? '');
    if (cidr !== undefined) return cidr;
    throw new CalictlError(`there is no pool ${text}`, {
      code: 'NO_POOL',
      hint: 'name it as calictl get ippools does, or by its CIDR',
    });
  });
}

async function shortfall(assignment: Assignment): Promise<Error[]> {
  const { addresses, requested, error } = assignment;
  if (addresses.length >= requested) return [];
  const { partialText } = await import('../../ipam/auto-assign.ts');
  const known = error instanceof CalictlError ? error : undefined;
  const sentence = new CalictlError(partialText(assignment), {
    code: known?.code ?? 'IPAM_EXHAUSTED',
    hint: known?.hint ?? 'calictl ipam show --show-blocks tells where addresses are left',
  });
  return error === undefined || known?.code === 'IPAM_BLOCK_LIMIT' ? [sentence] : [sentence, error];
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
    { command: 'calictl ipam assign --ip 10.60.0.9 --node node-a --handle manual-1', about: 'exactly this address' },
  ],
  args: [],
  flags: [
    { name: 'node', value: 'NODE', about: 'the node that the addresses are for; with --ip: the owner of its block' },
    { name: 'count', value: 'COUNT', about: 'how many, 1 when not given' },
    { name: 'pool', value: 'POOL', about: 'take them from this pool (name or CIDR)', repeatable: true },
    { name: 'ipv6', about: 'IPv6 addresses' },
    { name: 'ip', value: 'IP', about: 'exactly this address' },
    { name: 'handle', value: 'HANDLE', about: 'the ID to release them by' },
    { name: 'attr', value: 'KEY=VALUE', about: 'what else to record of the holder', repeatable: true },
    { name: 'output', short: 'o', value: 'FORMAT', about: 'output format', choices: ['text', 'json'], default: 'text' },
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'text',
  formats: {
    text: async (done) => (await import('../../output/ipam-assign.ts')).ipamAssignText(done),
    json: async (done) => (await import('../../output/ipam-assign.ts')).ipamAssignJson(done),
  },
  exit,
  errors: ({ shortfall }) => shortfall,
});
