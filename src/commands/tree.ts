// The register of commands: parsers, help and docs are made from it. Bodies are loaded when a command runs.
import { apply } from './apply/command.ts';
import { birdCheck } from './bird/check/command.ts';
import { birdDiff } from './bird/diff/command.ts';
import { birdRender } from './bird/render/command.ts';
import { clusterDiags } from './cluster/diags/command.ts';
import { cni } from './cni/command.ts';
import { cniInstall } from './cni/install/command.ts';
import type { Command } from './command.ts';
import { completion } from './completion/command.ts';
import { convert } from './convert/command.ts';
import { create } from './create/command.ts';
import { deleteObjects } from './delete/command.ts';
import { diff } from './diff/command.ts';
import { edit } from './edit/command.ts';
import { explain } from './explain/command.ts';
import { get } from './get/command.ts';
import { ipamAffinityClaim } from './ipam/affinity/claim/command.ts';
import { ipamAffinityList } from './ipam/affinity/list/command.ts';
import { ipamAffinityRelease } from './ipam/affinity/release/command.ts';
import { ipamAssign } from './ipam/assign/command.ts';
import { ipamCapacity } from './ipam/capacity/command.ts';
import { ipamCheck } from './ipam/check/command.ts';
import { ipamConfigure } from './ipam/configure/command.ts';
import { ipamConfigureShow } from './ipam/configure/show/command.ts';
import { ipamRelease } from './ipam/release/command.ts';
import { ipamShow } from './ipam/show/command.ts';
import { ipamSplit } from './ipam/split/command.ts';
import { label } from './label/command.ts';
import { nodeBgp } from './node/bgp/command.ts';
import { nodeCapture } from './node/capture/command.ts';
import { nodeChecksystem } from './node/checksystem/command.ts';
import { nodeDiags } from './node/diags/command.ts';
import { nodeExec } from './node/exec/command.ts';
import { nodeRepair } from './node/repair/command.ts';
import { nodeRoutes } from './node/routes/command.ts';
import { nodeRun } from './node/run/command.ts';
import { nodeStatus } from './node/status/command.ts';
import { nodeUnwire } from './node/unwire/command.ts';
import { nodeVerify } from './node/verify/command.ts';
import { nodeWire } from './node/wire/command.ts';
import { patch } from './patch/command.ts';
import { policyEffective } from './policy/effective/command.ts';
import { policyTest } from './policy/test/command.ts';
import { replace } from './replace/command.ts';
import { snapshotSave } from './snapshot/save/command.ts';
import { validate } from './validate/command.ts';
import { version } from './version/command.ts';
import { wait } from './wait/command.ts';

/** Words that come before other commands. */
export interface CommandGroup {
  readonly path: readonly string[];
  readonly summary: string;
}

export const groups: readonly CommandGroup[] = [
  { path: ['bird'], summary: 'Render the configuration of BIRD, check it and compare it with the nodes' },
  { path: ['cluster'], summary: 'Collect diagnostics from a whole cluster' },
  { path: ['ipam'], summary: 'Show, check and repair IP address management' },
  { path: ['ipam', 'affinity'], summary: 'Show and change which node owns which blocks' },
  { path: ['node'], summary: 'Query nodes and check their BGP, routes and data path' },
  { path: ['policy'], summary: 'Show which policies apply, and test whether they allow a flow' },
  { path: ['snapshot'], summary: 'Save the state of a cluster to files' },
];

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  apply,
  birdCheck,
  birdDiff,
  birdRender,
  clusterDiags,
  cni,
  cniInstall,
  completion,
  convert,
  create,
  deleteObjects,
  diff,
  edit,
  explain,
  get,
  ipamAffinityClaim,
  ipamAffinityList,
  ipamAffinityRelease,
  ipamAssign,
  ipamCapacity,
  ipamCheck,
  ipamConfigure,
  ipamConfigureShow,
  ipamRelease,
  ipamShow,
  ipamSplit,
  label,
  nodeBgp,
  nodeCapture,
  nodeChecksystem,
  nodeDiags,
  nodeExec,
  nodeRepair,
  nodeRoutes,
  nodeRun,
  nodeStatus,
  nodeUnwire,
  nodeVerify,
  nodeWire,
  patch,
  policyEffective,
  policyTest,
  replace,
  snapshotSave,
  validate,
  version,
  wait,
];
