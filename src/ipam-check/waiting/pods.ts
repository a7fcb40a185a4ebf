// Judges pods that are on a node and have no address (INV-72): only those for which no pool can give them one.
import { assignsAutomatically } from '../../ipam/pool/pools.ts';
import { evaluate, SelectorError } from '../../resources/selector.ts';
import { awaitsAddress } from '../addresses/pod-allocations.ts';
import type { Judgement } from '../finding.ts';
import { byHand, judge, nodeObject, poolObject } from '../judgement.ts';
import type { PodRecord } from '../snapshot.ts';
import type { CheckView } from '../view/check-view.ts';
import type { PoolView } from '../view/pool-view.ts';
import { namedPool } from './requests.ts';

/** INV-72. Where Calico assigns nothing, it is not Calico that the pods wait for. */
export function waitingPodJudgements(view: CheckView): Judgement[] {
  if (view.blocks.length === 0) return [];
  const judgements: Judgement[] = [];
  for (const pod of view.snapshot.pods) {
    if (!awaitsAddress(pod) || pod.node === undefined || pod.deleting || pod.noIpam) continue;
    if (view.otherNetworks.usesHostLocal(pod.node)) continue;
    const judgement = pod.pools.length > 0 ? withRequests(view, pod) : withoutPool(view, pod, pod.node);
    if (judgement) judgements.push(judgement);
  }
  return judgements;
}

function waits(pod: PodRecord, evidence: readonly string[], pools: readonly PoolView[], advice: string): Judgement {
  const { namespace, name, node } = pod;
  return judge({
    id: 'INV-72',
    object: { kind: 'Pod', namespace, name },
    owner: { kind: 'Pod', namespace, name },
    related: pools.map((pool) => poolObject(pool.name)),
    dependencies: [...pools.map((pool) => poolObject(pool.name)), ...(node === undefined ? [] : [nodeObject(node)])],
    node,
    evidence: [`the pod is on ${node} and has no address`, ...evidence],
    fingerprint: `${pod.uid} ${evidence.join(' ')}`,
    repair: byHand(advice),
  });
}

/** A pod that requests pools gets addresses of these only; one that gives them is enough. */
function withRequests(view: CheckView, pod: PodRecord): Judgement | undefined {
  for (const request of pod.pools) {
    const problems = request.map((text) => {
      const pool = namedPool(view.pools, text);
      return { pool, problem: pool === undefined ? `pool ${text} does not exist` : problemOf(pool) };
    });
    if (problems.length === 0 || problems.some(({ problem }) => problem === undefined)) continue;
    return waits(
      pod,
      problems.map(({ problem }) => `it requests pools by annotation: ${problem}`),
      problems.flatMap(({ pool }) => pool ?? []),
      `correct the annotation cni.projectcalico.org/ipv4pools or ipv6pools of pod ${pod.namespace}/${pod.name}, or the pool`,
    );
  }
  return undefined;
}

function problemOf({ name, enabled, uses }: PoolView): string | undefined {
  if (!enabled) return `pool ${name} is disabled`;
  return uses.includes('Workload') ? undefined : `pool ${name} is for ${uses.join(' and ')} only`;
}

/** A pod without requests gets addresses of the pools that select its node, and its namespace, whose labels are not read. */
function withoutPool(view: CheckView, pod: PodRecord, nodeName: string): Judgement | undefined {
  const node = view.nodesByName.get(nodeName);
  if (node === undefined) return undefined;
  const usable = view.pools.filter((view) => problemOf(view) === undefined && assignsAutomatically(view.pool));
  if (usable.some(({ pool }) => mayBeSelected(pool.spec.nodeSelector, node.labels))) return undefined;
  const evidence =
    usable.length === 0
      ? ['no enabled pool assigns addresses to pods automatically']
      : usable.map(({ name, pool }) => `pool ${name} does not select node ${nodeName}: ${pool.spec.nodeSelector}`);
  return waits(
    pod,
    evidence,
    usable,
    `change the nodeSelector of a pool or the labels of node ${nodeName}, or add a pool`,
  );
}

/** A selector that cannot be read is reported elsewhere. */
function mayBeSelected(selector: string | undefined, labels: Readonly<Record<string, string>>): boolean {
  try {
    return evaluate(selector, labels);
  } catch (error) {
    if (error instanceof SelectorError) return true;
    throw error;
  }
}
