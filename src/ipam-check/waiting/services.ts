// Judges LoadBalancer services without an address (INV-71): only those for which the datastore shows the reason.
import { assignsAutomatically } from '../../ipam/pool/pools.ts';
import { canonicalIp, formatIp, parseIp } from '../../net/ip.ts';
import { listInAnnotation } from '../../resources/convert/annotation-list.ts';
import { qualifiedName } from '../../resources/object.ts';
import type { Dependency, Judgement } from '../finding.ts';
import { blockObject, byHand, judge, poolObject } from '../judgement.ts';
import type { ServiceRecord } from '../snapshot.ts';
import { managedServices } from '../view/address-users.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PoolView } from '../view/pool-view.ts';
import { namedPool } from './requests.ts';

/** Why a service gets no address. */
interface Reason {
  readonly evidence: string;
  readonly advice: string;
  /** True when the service asks Calico for an address, so that nobody else is meant. */
  readonly certain: boolean;
  readonly dependencies?: readonly Dependency[];
}

const addressAnnotation = 'projectcalico.org/loadBalancerIPs';
const poolAnnotations = ['projectcalico.org/ipv4pools', 'projectcalico.org/ipv6pools'] as const;

/** INV-71. */
export function waitingServiceJudgements(view: CheckView): Judgement[] {
  const judgements: Judgement[] = [];
  const isManaged = managedServices(view.snapshot.kubeControllers);
  const pools = view.pools.filter(({ uses, enabled }) => enabled && uses.includes('LoadBalancer'));
  for (const service of view.snapshot.services) {
    if (!service.loadBalancer || service.deleting || service.ingress.length > 0) continue;
    if (service.loadBalancerClass && service.loadBalancerClass !== 'calico') continue;
    const reasons = reasonsOf(view, service, pools, isManaged(service));
    if (reasons.length > 0) judgements.push(waits(service, reasons));
  }
  return judgements;
}

function waits(service: ServiceRecord, reasons: readonly Reason[]): Judgement {
  const { namespace, name } = service;
  return judge({
    id: 'INV-71',
    ...(reasons.some(({ certain }) => certain) ? {} : { severity: 'info' as const }),
    object: { kind: 'Service', namespace, name },
    owner: { kind: 'Service', namespace, name },
    dependencies: reasons.flatMap(({ dependencies = [] }) => dependencies),
    evidence: ['the service has no address', ...reasons.map(({ evidence }) => evidence)],
    fingerprint: `${service.uid} ${reasons.map(({ evidence }) => evidence).join(' ')}`,
    repair: byHand([...new Set(reasons.map(({ advice }) => advice))].join('; ')),
  });
}

function reasonsOf(view: CheckView, service: ServiceRecord, pools: readonly PoolView[], managed: boolean): Reason[] {
  const asksCalico = service.loadBalancerClass === 'calico' || isRequest(service);
  if (view.snapshot.kubeControllers?.spec?.controllers?.loadBalancer == null) {
    if (pools.length === 0 && !asksCalico) return [];
    return [
      {
        evidence:
          'KubeControllersConfiguration default has no controllers.loadBalancer, so Calico assigns no addresses',
        advice:
          'set controllers.loadBalancer.assignIPs in KubeControllersConfiguration default, if Calico is to serve it',
        certain: asksCalico,
      },
    ];
  }
  if (!managed) return [];
  const requested = [...addressReasons(view, service, pools), ...poolReasons(view, service)];
  if (requested.length > 0 || isRequest(service)) return requested;
  if (pools.some(({ pool }) => assignsAutomatically(pool))) return [];
  return [
    {
      evidence:
        pools.length === 0
          ? 'no enabled pool allows LoadBalancer'
          : 'all pools that allow LoadBalancer assign addresses on request only (assignmentMode Manual)',
      advice:
        pools.length === 0
          ? 'create a pool with allowedUses [LoadBalancer], if Calico is to serve it'
          : `request a pool with the annotation ${poolAnnotations[0]}, or an address with ${addressAnnotation}`,
      certain: asksCalico,
    },
  ];
}

function isRequest({ annotations }: ServiceRecord): boolean {
  return [addressAnnotation, ...poolAnnotations].some((annotation) => annotation in annotations);
}

/** What is wrong with the addresses that the service requests. */
function addressReasons(view: CheckView, service: ServiceRecord, pools: readonly PoolView[]): Reason[] {
  return listInAnnotation(service.annotations[addressAnnotation]).flatMap((text): Reason[] => {
    const ip = parseIp(text);
    const correct = `correct the annotation ${addressAnnotation} of service ${qualifiedName(service)}`;
    if (ip === undefined)
      return [{ evidence: `it requests "${text}", which is not an address`, advice: correct, certain: true }];
    const address = formatIp(ip);
    const [allocation] = view.allocationsAt(ip);
    if (allocation !== undefined) {
      const { service: holder, namespace, pod } = allocation.attributes;
      if (holder === service.name && namespace === service.namespace) return [];
      const name = holder ? `service ${namespace}/${holder}` : pod ? `pod ${namespace}/${pod}` : 'another owner';
      const evidence = `it requests ${address}, which is allocated to ${name}`;
      return [
        {
          evidence,
          advice: `${correct}, or give ${name} another address`,
          certain: true,
          dependencies: [blockObject(allocation.block.name)],
        },
      ];
    }
    const pool = view.poolOf(ip);
    if (pools.some(({ name }) => name === pool?.name)) return [];
    const where = pool === undefined ? 'which is in no pool' : `which is in pool ${pool.name}, ${unusable(pool)}`;
    const dependencies = pool === undefined ? [] : [poolObject(pool.name)];
    return [{ evidence: `it requests ${canonicalIp(text)}, ${where}`, advice: correct, certain: true, dependencies }];
  });
}

/** Why services get no addresses from the pool. */
function unusable({ enabled, uses }: PoolView): string {
  return enabled ? `which is for ${uses.join(' and ')} only` : 'which is disabled';
}

/** What is wrong with the pools that the service requests. */
function poolReasons(view: CheckView, service: ServiceRecord): Reason[] {
  return poolAnnotations.flatMap((annotation) => {
    const names = listInAnnotation(service.annotations[annotation]);
    const problems = names.map((text): Reason | undefined => {
      const pool = namedPool(view.pools, text);
      const advice = `correct the annotation ${annotation} of service ${qualifiedName(service)}, or the pool`;
      if (pool === undefined)
        return { evidence: `it requests pool ${text}, which does not exist`, advice, certain: true };
      if (pool.enabled && pool.uses.includes('LoadBalancer')) return undefined;
      const evidence = `it requests pool ${pool.name}, ${unusable(pool)}`;
      return { evidence, advice, certain: true, dependencies: [poolObject(pool.name)] };
    });
    // One pool that gives addresses is enough.
    return problems.includes(undefined) ? [] : problems.filter((problem) => problem !== undefined);
  });
}
