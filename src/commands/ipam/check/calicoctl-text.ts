// The text of `calicoctl ipam check`, line for line. Where calicoctl prints in hash order, this is in order of addresses
// and names.
import type { CalicoctlAllocation, CalicoctlCheck } from '../../../ipam-check/calicoctl-report/calicoctl-check.ts';
import { printable } from '../../../output/printable.ts';

export interface CalicoctlCheckView {
  /** `--show-all-ips`; implies the next. */
  readonly showAll: boolean;
  /** `--show-problem-ips`. */
  readonly showProblems: boolean;
}

const nodesListed = 20;

/** Everything that calicoctl prints on stdout for this check. */
export function calicoctlIpamCheckText(check: CalicoctlCheck, { showAll, showProblems }: CalicoctlCheckView): string {
  const lines: string[] = [];
  const all = (...texts: string[]): void => {
    if (showAll) lines.push(...texts);
  };
  const problem = (text: string): void => {
    if (showAll || showProblems) lines.push(text);
  };

  lines.push('Checking IPAM for inconsistencies...', '');
  lines.push('Loading all IPAM blocks...', `Found ${check.blocks.length} IPAM blocks.`);
  for (const block of check.blocks) {
    lines.push(` IPAM block ${block.cidr} affinity=${block.affinity ?? '<none>'}:`);
    for (const allocation of block.allocations) all(`  ${allocation.address} allocated; attrs ${attrs(allocation)}`);
  }
  // Counted by block: an address that two overlapping blocks allocate counts twice.
  const allocated = check.blocks.reduce((sum, block) => sum + block.allocations.length, 0);
  lines.push(`IPAM blocks record ${allocated} allocations.`, '');

  lines.push('Loading all IPAM pools...');
  for (const pool of check.pools) lines.push(`  ${pool}`);
  lines.push(`Found ${check.pools.length} active IP pools.`, '');

  lines.push('Loading all nodes.');
  for (const { address, owner } of check.tunnels) all(`  ${address} belongs to ${owner}`);
  lines.push(`Found ${check.tunnels.length} node tunnel IPs.`, '');

  lines.push('Loading all service load balancer IPs.');
  if (check.services === undefined) {
    lines.push('No configuration for LoadBalancer kubecontroller found, skipping service check');
  } else {
    for (const { address, owner } of check.services) all(`  ${address} belongs to ${owner}`);
    lines.push(`Found ${check.services.length} service load balancer(s).`);
  }
  lines.push('');

  lines.push('Loading all workload endpoints.');
  for (const { address, owner } of check.workloads) all(`  ${address} belongs to ${owner}`);
  lines.push(`Found ${check.workloads.length} workload IPs.`);
  lines.push(`Workloads and nodes are using ${check.owners.size} IPs.`, '');

  lines.push('Loading all handles');
  lines.push(`Looking for top (up to ${nodesListed}) nodes by allocations...`);
  for (const { name, allocations } of check.nodes.slice(0, nodesListed)) {
    lines.push(`  ${name} has ${allocations} allocations`);
  }
  const most = check.nodes[0];
  const median = check.nodes[Math.floor(check.nodes.length / 2)];
  if (most !== undefined && median !== undefined) {
    lines.push(`Node with most allocations has ${most.allocations}; median is ${median.allocations}`);
  }
  lines.push('');

  lines.push('Scanning for IPs that are allocated but not actually in use...');
  for (const address of check.leaked) {
    for (const allocation of check.allocations.get(address) ?? []) {
      problem(`  ${address} leaked; attrs ${attrs(allocation)}`);
    }
  }
  lines.push(`Found ${check.leaked.length} IPs that are allocated in IPAM but not actually in use.`);

  lines.push('Scanning for IPs that are in use by a workload or node but not allocated in IPAM...');
  for (const { address, owners, fault } of check.suspects) {
    if (owners.length > 1) problem(`  ${address} has multiple owners.`);
    for (const owner of fault === undefined ? [] : owners)
      problem(`  ${address} in use by ${owner} ${says[fault ?? 'outside']}`);
  }
  const count = (fault: 'outside' | 'unallocated') =>
    check.suspects.filter((suspect) => suspect.fault === fault).length;
  lines.push(`Found ${count('outside')} in-use IPs that are not in active IP pools.`);
  lines.push(
    `Found ${count('unallocated')} in-use IPs that are in active IP pools but have no corresponding IPAM allocation.`,
    '',
  );

  lines.push('Scanning for IPAM handles with no matching IPs...');
  for (const { id } of check.leakedHandles) all(`  ${id} doesn't have any active IPs.`);
  lines.push(
    `Found ${check.leakedHandles.length} handles with no matching IPs (and ${check.handlesInUse} handles with matches).`,
  );
  lines.push('Scanning for IPs with missing handle...');
  for (const id of check.missingHandles) problem(`  ${id} is in use in a block but doesn't exist.`);
  lines.push(`Found ${check.missingHandles.length} handles mentioned in blocks with no matching handle resource.`);
  lines.push(`Check complete; found ${check.problems} problems.`, '');
  return lines.map(printable).join('\n');
}

const says = {
  outside: 'is not in any active IP pool.',
  unallocated: 'and in active IPAM pool but has no IPAM allocation.',
} as const;

/** Attributes as calicoctl prints them, keys in order. */
function attrs({ handle, attributes }: CalicoctlAllocation): string {
  if (attributes === undefined) return '<missing>';
  const extra = Object.keys(attributes)
    .sort()
    .map((key) => `${key}=${attributes[key]}`);
  return `Main:${handle ?? '<none>'} Extra:${extra.join(',')}`;
}
