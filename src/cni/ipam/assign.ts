// What calico-ipam does for ADD: an address that is requested, or one of each family from the pools of the node.
// Rules: docs/reference/cni.md#addresses
import { type Datastore, listAll } from '../../datastore/datastore.ts';
import { ipamStoreOf } from '../../datastore/stored-ipam.ts';
import { type Addresses, assignAddresses } from '../../ipam/assign/assign-addresses.ts';
import { assignIp } from '../../ipam/assign/assign-ip.ts';
import { type Assignment, partialText } from '../../ipam/assign/auto-assign.ts';
import { defaultConfig } from '../../ipam/config.ts';
import type { IpamStore } from '../../ipam/ipam-store.ts';
import { releaseIps } from '../../ipam/release/release.ts';
import { type Cidr, type InterfaceAddress, networkOf, parseCidr } from '../../net/cidr.ts';
import { formatIp, type IpAddress, parseIp } from '../../net/ip.ts';
import { ipPool } from '../../resources/kinds/ip-pool.ts';
import { ipamConfig } from '../../resources/kinds/ipam-config.ts';
import { namespace } from '../../resources/kinds/namespace.ts';
import type { Labels } from '../../resources/selector.ts';
import { goTimeText } from '../../text/go-time.ts';
import { allocatorText, serverText } from '../error-text.ts';
import { handleOf, type PluginContext } from '../plugin-context.ts';
import { CniError } from '../protocol/cni-error.ts';
import type { IpamConf } from '../protocol/net-conf.ts';
import type { CniResult, ResultAddress } from '../protocol/result.ts';
import { withIpamLock } from './ipam-lock.ts';

/** Assigns what the arguments and the configuration ask for. Errors: CniError; nothing stays assigned then. */
export async function ipamAdd(
  ctx: PluginContext,
  ipam: IpamConf,
  requested: IpAddress | undefined,
  namespaceLabels?: Labels,
): Promise<CniResult> {
  const stored = ipamStoreOf(ctx.datastore, { signal: ctx.world.signal });
  let hasConfig = true;
  const store: IpamStore = {
    ...stored,
    async config() {
      const config = await stored.config();
      hasConfig = config !== undefined;
      return config;
    },
  };
  const addresses =
    requested === undefined
      ? await assignAutomatically(ctx, store, ipam, namespaceLabels)
      : [await assignRequested(ctx, store, requested)];
  if (!hasConfig) await writeDefaultConfig(ctx);
  return withRoutes(addresses);
}

/** The first allocation of a cluster writes down the settings that it was made with, as Calico's does. */
async function writeDefaultConfig({ datastore, log, world }: PluginContext): Promise<void> {
  try {
    await datastore.create(ipamConfig, defaultConfig(datastore.calicoApi), { signal: world.signal });
  } catch (error) {
    // Another node was faster, or it is not allowed: the defaults hold either way.
    log.info('the default IPAM configuration was not written', { why: serverText(error) });
  }
}

/** Calico 3.32 makes host routes only for an answer that lists them; the older release ignores the list. */
function withRoutes(addresses: readonly InterfaceAddress[]): CniResult {
  const ips: readonly ResultAddress[] = addresses.map((address) => ({ address }));
  return { interfaces: [], ips, routes: addresses.map(({ address, cidr }) => `${formatIp(address)}/${cidr.prefix}`) };
}

function attributesOf({ node, pod, world }: PluginContext): Record<string, string> {
  const owner = pod.pod === '' ? {} : { pod: pod.pod, namespace: pod.namespace };
  return { node, ...owner, timestamp: goTimeText(world.clock.now()) };
}

async function assignRequested(ctx: PluginContext, store: IpamStore, ip: IpAddress): Promise<InterfaceAddress> {
  const { conf, node, request, world, log } = ctx;
  const address = formatIp(ip);
  const handle = handleOf(conf, request.containerId);
  log.info('assigning the requested address', { address, handle });
  try {
    await withIpamLock(conf.ipamLockFile, world, log, () =>
      assignIp(store, { address, node, handle, attributes: attributesOf(ctx) }, world),
    );
  } catch (error) {
    throw new CniError(allocatorText(error, node, address));
  }
  return { address: ip, cidr: networkOf(ip, ip.version === 4 ? 32 : 128) };
}

async function assignAutomatically(
  ctx: PluginContext,
  store: IpamStore,
  ipam: IpamConf,
  knownLabels: Labels | undefined,
): Promise<readonly InterfaceAddress[]> {
  const { conf, node, request, world, log } = ctx;
  const ipv4 = ipam.assignIpv4 ? { count: 1, pools: await poolsOf(ctx.datastore, ipam.ipv4Pools, 4) } : undefined;
  const ipv6 = ipam.assignIpv6 ? { count: 1, pools: await poolsOf(ctx.datastore, ipam.ipv6Pools, 6) } : undefined;
  const namespaceLabels = knownLabels ?? (await labelsOfNamespace(ctx));
  const handle = handleOf(conf, request.containerId);
  log.info('assigning addresses', { ipv4: ipv4?.count ?? 0, ipv6: ipv6?.count ?? 0, handle });
  let done: Addresses;
  try {
    done = await withIpamLock(conf.ipamLockFile, world, log, () =>
      assignAddresses(
        store,
        {
          node,
          use: 'Workload',
          holder: { handle, secondary: attributesOf(ctx) },
          namespaceLabels,
          ...(conf.windowsSingleNetwork && { maxBlocks: 1 }),
          ipv4,
          ipv6,
        },
        world,
      ),
    );
  } catch (error) {
    throw new CniError(allocatorText(error, node));
  }
  const failure = shortfall(done);
  if (failure === undefined && done.error === undefined) return done.assignments.flatMap(interfaceAddresses);
  await takeBack(ctx, store, done, handle);
  throw new CniError(failure ?? allocatorText(done.error, node));
}

function interfaceAddresses({ addresses }: Assignment): InterfaceAddress[] {
  return addresses.map(({ address, block }) => ({
    address: parseIp(address) as IpAddress,
    cidr: parseCidr(block) as Cidr,
  }));
}

function shortfall({ assignments }: Addresses): string | undefined {
  const short = assignments.find(({ addresses, requested }) => addresses.length < requested);
  return short && `failed to request IPv${short.version} addresses: ${partialText(short)}`;
}

/** Releases the addresses of one family when the other has none. What cannot be released goes with DEL. */
async function takeBack({ log }: PluginContext, store: IpamStore, done: Addresses, handle: string): Promise<void> {
  const assigned = done.assignments.flatMap(({ addresses }) => addresses.map(({ address }) => ({ address, handle })));
  if (assigned.length === 0) return;
  try {
    await releaseIps(store, assigned);
  } catch (error) {
    log.error('addresses of a failed assignment were not released', { error: serverText(error), handle });
  }
}

/** The pools that the configuration or an annotation names, by CIDR or by name. Errors: CniError for an unknown one. */
async function poolsOf(datastore: Datastore, names: readonly string[], family: 4 | 6): Promise<readonly Cidr[]> {
  if (names.length === 0) return [];
  const pools = await listAll(datastore, ipPool);
  return names.map((name) => {
    const text = pools.find(({ metadata }) => metadata.name === name)?.spec.cidr ?? name;
    const cidr = parseCidr(text);
    if (cidr === undefined)
      throw new CniError(`error parsing pool ${JSON.stringify(name)}: invalid CIDR address: ${name}`);
    if (cidr.version !== family)
      throw new CniError(`${JSON.stringify(formatIp(cidr.base))} isn't a IPv${family} address`);
    return cidr;
  });
}

/** Pools may select namespaces. Errors: CniError when the namespace of the pod cannot be read. */
async function labelsOfNamespace({ datastore, pod, world }: PluginContext): Promise<Labels | undefined> {
  if (pod.namespace === '') return undefined;
  try {
    const found = await datastore.get(namespace, { name: pod.namespace }, { signal: world.signal });
    return found.metadata.labels ?? {};
  } catch (error) {
    throw new CniError(`failed to get namespace ${pod.namespace}: ${serverText(error)}`);
  }
}
