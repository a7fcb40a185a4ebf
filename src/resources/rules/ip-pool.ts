// Rules for IPPool: docs/reference/validation.md#ippool.
import {
  type Cidr,
  cidrCovers,
  cidrsOverlap,
  formatCidr,
  isMaskedCidr,
  parseCidr,
  parseCidrOrIp,
} from '../../net/cidr.ts';
import type { Rules, Write } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { selectorProblem, usesGlobal } from '../selector.ts';
import { problem, type RuleProblem } from './rule-problem.ts';

/** What the rules need of a pool. */
interface IPPool extends KubeObject {
  spec: {
    cidr: string;
    ipipMode?: string | undefined;
    vxlanMode?: string | undefined;
    allowedUses?: string[] | undefined;
    assignmentMode?: string | undefined;
    nodeSelector?: string | undefined;
    namespaceSelector?: string | undefined;
    blockSize?: number | undefined;
    disabled?: boolean | undefined;
    disableBGPExport?: boolean | undefined;
    [field: string]: unknown;
  };
}

const linkLocal4 = parseCidr('169.254.0.0/16') as Cidr;
const linkLocal6 = parseCidr('fe80::/10') as Cidr;

const sizeReason =
  'IP pool size is too small for use with Calico IPAM. It must be equal to or greater than the block size.';
const singleGlobal = 'global() selector is not valid for IPPool';

const isOn = (mode: string | undefined): boolean => mode === 'Always' || mode === 'CrossSubnet';
/** Before a write calicoctl takes any other word for an encapsulation too. */
const isUsed = (mode: string | undefined): boolean => mode !== undefined && mode !== 'Never';
const isIn = (inner: string | undefined): boolean =>
  inner !== undefined && selectorProblem(inner) === undefined && usesGlobal(inner);

const defaultBlockSize = (cidr: Cidr | undefined): number => (cidr?.version === 6 ? 122 : 26);

function blockSizeMessage(version: 4 | 6): string {
  return version === 4 ? 'must be from 20 to 32 for IPv4' : 'must be from 116 to 128 for IPv6';
}

const isBlockSize = (size: number, version: 4 | 6): boolean =>
  version === 4 ? size >= 20 && size <= 32 : size >= 116 && size <= 128;

/** Rules that need no other object. */
function problems({ spec }: IPPool): RuleProblem[] {
  const found: RuleProblem[] = [];
  const add = (field: string, message: string, field2: string, value: unknown, reason: string): void => {
    found.push(problem(['spec', field], message, { field: `IPpool.${field2}`, value, reason }));
  };
  const text = spec.cidr ?? '';
  const cidr = parseCidrOrIp(text);
  const shown = cidr === undefined ? '<nil>' : formatCidr(cidr);
  if (text === '') add('cidr', 'is missing', 'CIDR', '', 'IPPool CIDR must be specified');
  else if (cidr === undefined) {
    add('cidr', 'must be a CIDR, like 10.0.0.0/16', 'CIDR', text, 'IPPool CIDR must be a valid subnet');
    return found;
  }
  const { ipipMode, vxlanMode, allowedUses = [], nodeSelector = '', namespaceSelector = '', disabled } = spec;
  const isLoadBalancer = allowedUses.includes('LoadBalancer');
  if (cidr?.version === 6 && ipipMode !== 'Never') {
    const reason = "IPIPMode other than 'Never' is not supported on an IPv6 IP pool";
    add('ipipMode', 'must be Never: IP-in-IP does not carry IPv6', 'IPIPMode', ipipMode ?? '', reason);
  }
  if (isOn(ipipMode) && isOn(vxlanMode)) {
    const reason = 'IPIPMode and VXLANMode cannot be enabled on LoadBalancer IP pool';
    add(
      'vxlanMode',
      'must be Never while ipipMode is not: a pool has one encapsulation, VXLAN or IPIP',
      'IPIPMode',
      ipipMode,
      reason,
    );
  }
  if (isLoadBalancer && (isOn(ipipMode) || isOn(vxlanMode))) {
    const reason = 'Neither IPIPMode nor VXLANMode can be enabled on AllowedUses LoadBalancer IP pool';
    const field = isOn(ipipMode) ? 'ipipMode' : 'vxlanMode';
    add(field, 'must be Never for load balancers', 'IPIPMode', ipipMode ?? '', reason);
  }
  const blockSize = spec.blockSize || defaultBlockSize(cidr);
  if (disabled !== true && (cidr === undefined || cidr.prefix > blockSize)) {
    add('cidr', `is smaller than one block (/${blockSize})`, 'CIDR', shown, sizeReason);
  }
  if (cidr !== undefined && spec.blockSize && !isBlockSize(spec.blockSize, cidr.version)) {
    // Only the client of calicoctl checks it, before a write.
    found.push({ path: ['spec', 'blockSize'], message: blockSizeMessage(cidr.version) });
  }
  if (cidr !== undefined && text.includes('/') && !isMaskedCidr(text)) {
    add('cidr', `has host bits: the network is ${shown}`, 'CIDR', shown, 'IP pool CIDR is not strictly masked');
  }
  for (const [range, name] of [
    [linkLocal4, 'IPv4 Link Local range 169.254.0.0/16'],
    [linkLocal6, 'IPv6 Link Local range fe80::/10'],
  ] as const) {
    if (cidr === undefined || !cidrsOverlap(cidr, range)) continue;
    add(
      'cidr',
      `overlaps with the link-local range ${formatCidr(range)}`,
      'CIDR',
      shown,
      `IP pool range overlaps with ${name}`,
    );
  }
  for (const use of allowedUses) {
    if (!['Workload', 'Tunnel', 'LoadBalancer'].includes(use)) {
      add(
        'allowedUses',
        `has the unknown use ${use}: use Workload, Tunnel or LoadBalancer`,
        'AllowedUses',
        allowedUses,
        `unknown use: ${use}`,
      );
    } else if (isLoadBalancer && use !== 'LoadBalancer') {
      const reason = `LoadBalancer cannot be used at the same time as: ${use}`;
      if (allowedUses.every((one) => ['Workload', 'Tunnel', 'LoadBalancer'].includes(one))) {
        add('allowedUses', `must be LoadBalancer alone, without ${use}`, 'AllowedUses', allowedUses, reason);
      }
    }
  }
  if (isLoadBalancer && spec.disableBGPExport === true) {
    const reason = 'IP Pool with AllowedUse LoadBalancer must have DisableBGPExport set to true';
    add('disableBGPExport', 'must not be set for load balancers', 'DisableBGPExport', shown, reason);
  }
  if (isLoadBalancer && nodeSelector !== 'all()') {
    const reason = 'IP Pool with AllowedUse LoadBalancer must have node selector set to all()';
    add('nodeSelector', 'must be all() for load balancers', 'NodeSelector', shown, reason);
  }
  if (allowedUses.includes('Tunnel') && namespaceSelector !== '') {
    const reason =
      'IP Pool with AllowedUse Tunnel cannot have namespaceSelector specified - tunnel IPs are not namespaced resources';
    add(
      'namespaceSelector',
      'cannot be set while allowedUses has Tunnel: tunnels are in no namespace',
      'NamespaceSelector',
      namespaceSelector,
      reason,
    );
  }
  for (const [field, value] of [
    ['nodeSelector', nodeSelector],
    ['namespaceSelector', namespaceSelector],
  ] as const) {
    if (!value.includes('global()') && !isIn(value)) continue;
    const name = field === 'nodeSelector' ? 'NodeSelector' : 'NamespaceSelector';
    add(field, 'cannot have global(): use all()', name, value, `${singleGlobal} ${field} - use all() instead`);
  }
  return found;
}

/** What Calico's client fills in; the CIDR in canonical form. */
function defaulted(pool: IPPool): IPPool {
  const { spec } = pool;
  const cidr = parseCidrOrIp(spec.cidr ?? '');
  return {
    ...pool,
    spec: {
      ...spec,
      ...(cidr === undefined || !isMaskedCidr(spec.cidr) ? {} : { cidr: formatCidr(cidr) }),
      nodeSelector: spec.nodeSelector || 'all()',
      blockSize: spec.blockSize || defaultBlockSize(cidr),
      allowedUses: spec.allowedUses?.length ? spec.allowedUses : ['Workload', 'Tunnel'],
      assignmentMode: spec.assignmentMode ?? 'Automatic',
      ipipMode: spec.ipipMode || 'Never',
      vxlanMode: spec.vxlanMode || 'Never',
    },
  };
}

const sameCidr = (a: string, b: string): boolean => {
  const [left, right] = [parseCidrOrIp(a), parseCidrOrIp(b)];
  return a === b || (left !== undefined && right !== undefined && formatCidr(left) === formatCidr(right));
};

/** Rules for a write, in the order and words of Calico's client. The object has its defaults. */
function writeProblems({ kind, object, stored, related }: Write<IPPool>): RuleProblem[] {
  const { spec } = object;
  const add = (field: string, message: string, name: string, value: unknown, reason: string): RuleProblem =>
    problem(['spec', field], message, { field: `IPPool.Spec.${name}`, value, reason });
  if (!spec.cidr) return [add('cidr', 'is missing', 'CIDR', undefined, 'IPPool CIDR must be specified')];
  const cidr = parseCidrOrIp(spec.cidr);
  if (cidr === undefined) {
    return [add('cidr', 'must be a CIDR, like 10.0.0.0/16', 'CIDR', spec.cidr, 'IPPool CIDR must be a valid subnet')];
  }
  const found: RuleProblem[] = [];
  const shown = formatCidr(cidr);
  const blockSize = spec.blockSize || defaultBlockSize(cidr);
  if (stored !== undefined) {
    const uses = stored.spec.allowedUses ?? [];
    if (uses.includes('LoadBalancer') && (spec.allowedUses ?? []).some((use) => use !== 'LoadBalancer')) {
      const reason = 'IPPool allowed use cannot be changed from LoadBalacer to Workload or Tunnel';
      return [
        add(
          'allowedUses',
          'cannot be changed from LoadBalancer to another use',
          'AllowedUses',
          spec.allowedUses,
          reason,
        ),
      ];
    }
    if (!sameCidr(spec.cidr, stored.spec.cidr)) {
      const words = `cannot be changed (it is ${stored.spec.cidr}): create another pool`;
      found.push(add('cidr', words, 'CIDR', spec.cidr, 'IPPool CIDR cannot be modified'));
    }
    const old = stored.spec.blockSize || defaultBlockSize(parseCidrOrIp(stored.spec.cidr));
    if (blockSize !== old) {
      const words = `cannot be changed (it is ${old}): create another pool`;
      found.push(add('blockSize', words, 'BlockSize', blockSize, 'IPPool BlockSize cannot be modified'));
    }
  }
  if (!isBlockSize(blockSize, cidr.version)) {
    const reason =
      cidr.version === 4 ? 'IPv4 block size must be between 20 and 32' : 'IPv6 block size must be between 116 and 128';
    found.push(add('blockSize', blockSizeMessage(cidr.version), 'BlockSize', blockSize, reason));
  }
  if (spec.disabled !== true && cidr.prefix > blockSize) {
    found.push(add('cidr', `is smaller than one block (/${blockSize})`, 'CIDR', spec.cidr, sizeReason));
  }
  if (stored === undefined) found.push(...overlaps(object, cidr, related(kind) as readonly IPPool[], add));
  if (isUsed(spec.ipipMode) && isUsed(spec.vxlanMode)) {
    const reason = 'Cannot enable both VXLAN and IPIP on the same IPPool';
    found.push(
      add(
        'vxlanMode',
        'must be Never while ipipMode is not: a pool has one encapsulation, VXLAN or IPIP',
        'VXLANMode',
        spec.vxlanMode,
        reason,
      ),
    );
  }
  if (cidr.version === 6 && isUsed(spec.ipipMode)) {
    const reason = 'IPIP is not supported on an IPv6 IP pool';
    found.push(add('ipipMode', 'must be Never: IP-in-IP does not carry IPv6', 'IPIPMode', spec.ipipMode, reason));
  }
  if (spec.cidr.includes('/') && !isMaskedCidr(spec.cidr)) {
    found.push(
      add('cidr', `has host bits: the network is ${shown}`, 'CIDR', spec.cidr, 'IPPool CIDR is not strictly masked'),
    );
  }
  for (const [range, name] of [
    [linkLocal4, 'IPv4 Link Local range 169.254.0.0/16'],
    [linkLocal6, 'IPv6 Link Local range fe80::/10'],
  ] as const) {
    if (!cidrsOverlap(cidr, range)) continue;
    const words = `overlaps with the link-local range ${formatCidr(range)}`;
    found.push(add('cidr', words, 'CIDR', spec.cidr, `IPPool CIDR overlaps with ${name}`));
  }
  return found;
}

function overlaps(
  pool: IPPool,
  cidr: Cidr,
  pools: readonly IPPool[],
  add: (field: string, message: string, name: string, value: unknown, reason: string) => RuleProblem,
): RuleProblem[] {
  const { name } = pool.metadata;
  return pools.flatMap((other) => {
    const range = parseCidrOrIp(String(other.spec?.cidr ?? ''));
    if (other.metadata.name === name || range === undefined || !cidrsOverlap(cidr, range)) return [];
    const reason = `IPPool(${name}) CIDR overlaps with IPPool(${other.metadata.name}) CIDR ${other.spec.cidr}`;
    const how = cidrCovers(range, cidr) ? 'is inside' : 'overlaps with';
    return [add('cidr', `${how} IPPool ${other.metadata.name} (${other.spec.cidr})`, 'CIDR', pool.spec.cidr, reason)];
  });
}

const rules: Rules<IPPool> = {
  problems,
  defaulted,
  writeProblems,
  // A new pool must not overlap with another one.
  needs: (own, { stored }) => (stored === undefined ? [own] : []),
};

/** For the kind, whose objects have more fields than the rules need. */
export const ipPoolRules = rules as unknown as Rules<never>;
