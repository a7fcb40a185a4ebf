// What `ipam release` prints outside compat mode.
import type { Released } from '../../../ipam/release/release-plan.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { printable } from '../../../output/printable.ts';
import { counted } from '../../../text/wording.ts';

/**
 * What a release of several things came to, for a script that asked nobody: `3 of 3 addresses released`. Empty for a
 * single one. A release has no journal, so the lines above are all that is kept of it.
 */
function totalLine({ plan, outcomes }: Released): string {
  if (outcomes.length < 2) return '';
  const applied = new Set(outcomes.filter(({ outcome }) => outcome === 'applied').map(({ subject }) => subject));
  const part = (subjects: readonly string[], noun: string, done: string): string[] => {
    if (subjects.length === 0) return [];
    const count = subjects.filter((subject) => applied.has(subject)).length;
    return [`${count} of ${counted(subjects.length, noun)} ${done}`];
  };
  const blocks = plan.nodeAffinities?.released ? plan.nodeAffinities.affinities : [];
  const parts = [
    ...part([...new Set(plan.requests.map(({ address }) => address))], 'address', 'released'),
    ...part([...new Set(plan.handles.map(({ handle }) => handle))], 'handle', 'deleted'),
    ...part([...new Set(blocks.map(({ cidr }) => cidr))], 'block', 'released'),
  ];
  return `${parts.join(', ')}. No journal is kept of releases.`;
}

/** One line per address and handle: what was done, or would be in a dry run; last how many. */
export function ipamReleaseText(result: Released): string {
  const { plan, dryRun, outcomes } = result;
  const lines: string[] = [];
  if (dryRun) {
    for (const { address, about } of plan.requests) lines.push(`would release ${address}  ${printable(about)}`);
    for (const { handle } of plan.handles) lines.push(`would delete the handle ${printable(handle)}`);
    if (plan.nodeAffinities?.released) {
      for (const { cidr } of plan.nodeAffinities.affinities) lines.push(`would release the block ${printable(cidr)}`);
    }
  }
  const handles = new Set(plan.handles.map(({ handle }) => handle));
  for (const { subject, outcome, detail } of outcomes) {
    const why = detail === undefined ? '' : `: ${printable(detail)}`;
    if (outcome === 'applied' && handles.has(subject)) {
      lines.push(`Successfully deleted the handle ${printable(subject)}`);
    } else if (outcome === 'applied') lines.push(`Successfully released ${printable(subject)}`);
    else lines.push(`Did not release ${printable(subject)} (${outcome})${why}`);
  }
  for (const address of plan.unassigned) lines.push(`IP address ${address} is not assigned`);
  for (const address of plan.changed) lines.push(`IP address ${address} was allocated again since the report`);
  for (const address of plan.alreadyFree) lines.push(`IP address ${address} is already free`);
  for (const handle of plan.young) {
    lines.push(
      `Kept the handle ${printable(handle)}: written less than five minutes ago, it may be an allocation in progress`,
    );
  }
  const released = new Set(outcomes.filter(({ outcome }) => outcome === 'applied').map(({ subject }) => subject));
  for (const { address, users } of plan.inUse) {
    const whose = printable(users.join(' and '));
    lines.push(
      released.has(address) ? `${address} was released while in use by ${whose}` : `${address} is in use by ${whose}`,
    );
  }
  lines.push(...claimsLeft(plan));
  if (lines.length === 0) lines.push('There is nothing to release.');
  const total = totalLine(result);
  if (total !== '') lines.push(total);
  return lines.map((line) => `${line}\n`).join('');
}

/** What a deleted node still claims, and the command that releases it. */
function claimsLeft({ nodeAffinities }: Released['plan']): string[] {
  if (nodeAffinities === undefined || nodeAffinities.nodeExists || nodeAffinities.released) return [];
  const { node, affinities } = nodeAffinities;
  if (affinities.length === 0) return [];
  const blocks = affinities.map(({ cidr }) => cidr).join(', ');
  const line = `${node} does not exist and still claims ${blocks}; release with: calictl ipam affinity release --node ${node}`;
  return [printable(line)];
}

/** Plan and outcomes as one JSON document. */
export function ipamReleaseJson({ plan, dryRun, outcomes }: Released): string {
  const planned = plan.requests.map(({ address, block, handle, sequenceNumber }) => ({
    address,
    block,
    ...(handle === undefined ? {} : { handle }),
    sequenceNumber: sequenceNumber.toString(),
  }));
  const handles = plan.handles.map(({ handle }) => handle);
  const { inUse, unassigned, changed, alreadyFree, young, nodeAffinities } = plan;
  const cidrs = nodeAffinities?.affinities.map(({ cidr }) => cidr);
  const affinities =
    nodeAffinities === undefined ? {} : { [nodeAffinities.released ? 'affinities' : 'affinitiesLeft']: cidrs };
  return jsonDocument({
    kind: 'IPAMRelease',
    dryRun,
    planned,
    handles,
    ...affinities,
    inUse,
    unassigned,
    changed,
    alreadyFree,
    young,
    outcomes,
  });
}
