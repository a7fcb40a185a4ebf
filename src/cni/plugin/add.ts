// ADD of the main plugin: reads the pod, gets its addresses, connects it, and writes them to the pod.
// Rules: docs/reference/cni.md#add
import { randomPodMac } from '../../datapath/wire/mac.ts';
import { podMtuOf } from '../../datapath/wire/mtu.ts';
import type { PodWiring } from '../../datapath/wire/pod-wiring.ts';
import { DatastoreError } from '../../datastore/datastore.ts';
import { ipamStoreOf } from '../../datastore/stored-ipam.ts';
import { releaseIps } from '../../ipam/release/release.ts';
import { networkOf } from '../../net/cidr.ts';
import type { IpAddress } from '../../net/ip.ts';
import { hasEndpoint, podAddresses, podAnnotations } from '../../resources/convert/pod-addresses.ts';
import { hostInterfaceName } from '../../resources/convert/workload-endpoint-of-pod.ts';
import { namespace } from '../../resources/kinds/namespace.ts';
import { type Pod, pod as podKind } from '../../resources/kinds/pod.ts';
import { asCniError, serverText } from '../error-text.ts';
import { ipamAdd } from '../ipam/assign.ts';
import { type CallContext, handleOf, type PluginContext } from '../plugin-context.ts';
import {
  annotation,
  checkFloatingIps,
  checkSourcePrefixes,
  fixedAddresses,
  requestedIpam,
  requestedMac,
} from '../protocol/annotations.ts';
import { CniError } from '../protocol/cni-error.ts';
import { routesOf } from '../protocol/host-local.ts';
import type { CniResult } from '../protocol/result.ts';
import { delegate } from './delegate.ts';
import { releaseAddresses, withNodeRanges } from './ipam-calls.ts';
import { clearAddresses, writeAddresses } from './pod-addresses.ts';
import { awaitPolicy } from './policy-setup.ts';
import { PairRemains, wirePod } from './wire-pod.ts';

/** What the API server says about the pod and its namespace; empty without Kubernetes policy. */
interface PodFacts {
  readonly annotations: Readonly<Record<string, string>>;
  readonly namespaceAnnotations: Readonly<Record<string, string>>;
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
}

/** Connects the pod. Errors: CniError; what this call obtained is released then. */
export async function add(ctx: PluginContext, ofFile: number | undefined): Promise<CniResult> {
  const { conf, request, pod, log } = ctx;
  if (conf.dataplaneType !== '' && conf.dataplaneType !== 'linux') {
    throw new CniError(`invalid dataplane type: ${conf.dataplaneType}`);
  }
  const existing = await existingPod(ctx);
  const facts = await podFacts(ctx, existing);
  const ipam = requestedIpam(conf.ipam, ...poolAnnotations(ctx, facts));
  const routes = routesOf(conf);
  const addresses = await obtain(ctx, facts, ipam, existing);
  let areWritten = false;
  try {
    const floating = annotation(facts.annotations, 'floatingIPs');
    if (floating !== '') {
      if (!conf.floatingIps) throw new CniError('requested feature is not enabled: floating_ips');
      checkFloatingIps(floating, addresses);
    }
    if (conf.policySetupTimeoutSeconds < 0) {
      throw new CniError(`invalid pod startup delay of ${conf.policySetupTimeoutSeconds}`);
    }
    const mtu = podMtuOf(conf.mtu, ofFile);
    const wiring: PodWiring = {
      hostInterface: hostInterfaceName(pod.namespace, pod.pod, interfacePrefix(ctx)),
      podInterface: request.ifName,
      addresses,
      // Go's netlink library leaves a negative MTU to the kernel.
      mtu: mtu !== undefined && mtu > 0 ? mtu : undefined,
      queues: conf.queues,
      podMac: requestedMac(annotation(facts.annotations, 'hwAddr')),
      allowForwarding: conf.allowForwarding,
      routes,
      hasHostRoutes: true,
      nodePid: ctx.world.self.pid,
    };
    const wired = { ...wiring, podMac: wiring.podMac ?? randomPodMac(ctx.world.random) };
    await wirePod(ctx, wired, async () => {
      areWritten = true;
      await writeAddresses(ctx, addresses, existing?.metadata.uid);
      await awaitPolicy(ctx, wired.hostInterface);
    });
    return resultOf(ctx, wired, mtu);
  } catch (error) {
    log.error('ADD failed', { error: serverText(error) });
    if (areWritten) await takeBackAnnotations(ctx, existing?.metadata.uid);
    // DEL releases the addresses of a pair that could not be removed.
    if (!(error instanceof PairRemains)) await releaseAddresses(ctx);
    throw asCniError(error);
  }
}

/** The failure that led here is the one to report. */
async function takeBackAnnotations(ctx: PluginContext, uid: string | undefined): Promise<void> {
  try {
    await clearAddresses(ctx, uid);
  } catch (error) {
    ctx.log.error('the annotations of the failed ADD were not emptied', { error: serverText(error) });
  }
}

/** The first of the prefixes of Felix, for the plugin's own process. */
export function interfacePrefix({ world }: CallContext): string {
  return (world.env['FELIX_INTERFACEPREFIX'] ?? '').split(',')[0] || 'cali';
}

/** The pod as Calico knows it: undefined if it does not exist. Errors: CniError outside Kubernetes. */
async function existingPod(ctx: PluginContext): Promise<Pod | undefined> {
  const { pod, node, request, datastore, world } = ctx;
  if (pod.pod === '' || pod.namespace === '') {
    const name = `${node.replaceAll('-', '--')}-cni-${request.containerId.replaceAll('-', '--')}-*`;
    throw new CniError(
      `resource does not exist: WorkloadEndpoint(default/${name}) with error: malformed WorkloadEndpoint name - ` +
        'unable to determine Pod name',
    );
  }
  try {
    const found = await datastore.get(podKind, { name: pod.pod, namespace: pod.namespace }, { signal: world.signal });
    if (hasEndpoint(found)) {
      checkSourcePrefixes(annotation(found.metadata.annotations ?? {}, 'allowedSourcePrefixes'));
    }
    return found;
  } catch (error) {
    if (error instanceof DatastoreError && error.reason === 'not-found') return undefined;
    throw asCniError(error);
  }
}

async function podFacts(ctx: PluginContext, existing: Pod | undefined): Promise<PodFacts> {
  const { conf, pod, datastore, world } = ctx;
  if (conf.policyType !== 'k8s') {
    // Calico then makes a profile named after the network, which a Kubernetes datastore cannot hold.
    if (conf.policyType === '') throw new CniError(`Invalid name ${conf.name}`);
    return { annotations: {}, namespaceAnnotations: {}, namespaceLabels: undefined };
  }
  try {
    const found = await datastore.get(namespace, { name: pod.namespace }, { signal: world.signal });
    if (existing === undefined) throw new CniError(`pods ${JSON.stringify(pod.pod)} not found`);
    return {
      annotations: existing.metadata.annotations ?? {},
      namespaceAnnotations: found.metadata.annotations ?? {},
      namespaceLabels: found.metadata.labels ?? {},
    };
  } catch (error) {
    throw asCniError(error);
  }
}

function poolAnnotations({ conf }: PluginContext, facts: PodFacts): [PodFacts['annotations'], PodFacts['annotations']] {
  return conf.ipam.type === 'calico-ipam' ? [facts.annotations, facts.namespaceAnnotations] : [{}, {}];
}

/** The pod's addresses. Errors: CniError; nothing stays assigned then. */
async function obtain(
  ctx: PluginContext,
  facts: PodFacts,
  ipam: PluginContext['conf']['ipam'],
  existing: Pod | undefined,
): Promise<readonly IpAddress[]> {
  const { conf } = ctx;
  const fixed = annotation(facts.annotations, 'ipAddrs');
  const unmanaged = annotation(facts.annotations, 'ipAddrsNoIpam');
  if (fixed !== '' && unmanaged !== '') {
    throw new CniError("can't have both annotations: 'ipAddrs' and 'ipAddrsNoIpam' in use at the same time");
  }
  const name = fixed !== '' ? 'ipAddrs' : 'ipAddrsNoIpam';
  if ((fixed !== '' || unmanaged !== '') && conf.ipam.type !== 'calico-ipam') {
    throw new CniError(`${name} is not compatible with configured IPAM: ${conf.ipam.type}`);
  }
  if (unmanaged !== '') {
    if (!conf.ipAddrsNoIpam) throw new CniError('requested feature is not enabled: ip_addrs_no_ipam');
    return fixedAddresses(unmanaged, 'ipAddrsNoIpam');
  }
  if (fixed !== '') return obtainFixed(ctx, ipam, fixed, existing);
  const result =
    conf.ipam.type === 'calico-ipam'
      ? await ipamAdd(ctx, ipam, ctx.pod.ip, facts.namespaceLabels)
      : await delegate(ctx, 'ADD', await withNodeRanges(ctx, 'ADD'));
  const addresses = result.ips.map(({ address }) => address.address);
  if (addresses.length === 0) {
    await releaseAddresses(ctx);
    throw new CniError('IPAM plugin returned missing IP config');
  }
  return addresses;
}

/** One address after the other; those that the pod had before are released first, so that a repeated ADD gets them again. */
async function obtainFixed(
  ctx: PluginContext,
  ipam: PluginContext['conf']['ipam'],
  text: string,
  existing: Pod | undefined,
): Promise<readonly IpAddress[]> {
  const wanted = fixedAddresses(text, 'ipAddrs');
  if (existing !== undefined) await releaseEarlier(ctx, existing);
  try {
    for (const ip of wanted) await ipamAdd(ctx, ipam, ip);
  } catch (error) {
    await releaseAddresses(ctx);
    throw new CniError(`error getting IP from IPAM: ${serverText(error)}`);
  }
  return wanted;
}

/** Only addresses that the pod's last container holds: another pod may have got one of them since. */
async function releaseEarlier(ctx: PluginContext, existing: Pod): Promise<void> {
  const container = existing.metadata.annotations?.[podAnnotations.containerId] ?? '';
  const before = podAddresses(existing);
  if (container === '' || before.length === 0) return;
  const store = ipamStoreOf(ctx.datastore, { signal: ctx.world.signal });
  const handle = handleOf(ctx.conf, container);
  const { failed } = await releaseIps(
    store,
    before.map((address) => ({ address, handle })),
  );
  for (const { addresses: kept, error } of failed) {
    ctx.log.info('earlier addresses were not released', { addresses: kept, why: serverText(error) });
  }
}

function resultOf({ request }: PluginContext, wiring: PodWiring, mtu: number | undefined): CniResult {
  return {
    interfaces: [
      { name: wiring.hostInterface },
      { name: wiring.podInterface, mac: wiring.podMac, mtu, sandbox: request.netns },
    ],
    ips: wiring.addresses.map((address) => ({
      address: { address, cidr: networkOf(address, address.version === 4 ? 32 : 128) },
      interface: 1,
    })),
  };
}
