// The register of commands: cli/ makes its parser and its help from it. Bodies are loaded when a command runs.
import { clusterDiags } from './cluster/diags.ts';
import type { Command } from './command.ts';
import { get } from './get.ts';
import { ipamAffinityClaim } from './ipam/affinity/claim.ts';
import { ipamAffinityList } from './ipam/affinity/list.ts';
import { ipamAffinityRelease } from './ipam/affinity/release.ts';
import { ipamAssign } from './ipam/assign.ts';
import { ipamCapacity } from './ipam/capacity.ts';
import { ipamCheck } from './ipam/check.ts';
import { ipamConfigureShow } from './ipam/configure/show.ts';
import { ipamConfigure } from './ipam/configure.ts';
import { ipamRelease } from './ipam/release.ts';
import { ipamShow } from './ipam/show.ts';
import { ipamSplit } from './ipam/split.ts';
import { nodeBgp } from './node/bgp.ts';
import { nodeCapture } from './node/capture.ts';
import { nodeChecksystem } from './node/checksystem.ts';
import { nodeDiags } from './node/diags.ts';
import { nodeExec } from './node/exec.ts';
import { nodeRoutes } from './node/routes.ts';
import { nodeRun } from './node/run.ts';
import { nodeStatus } from './node/status.ts';
import { nodeVerify } from './node/verify.ts';
import { snapshotSave } from './snapshot/save.ts';
import { version } from './version.ts';

/** Words that stand before other commands. */
export interface CommandGroup {
  readonly path: readonly string[];
  readonly summary: string;
}

export const groups: readonly CommandGroup[] = [
  { path: ['cluster'], summary: 'Collect what a whole cluster says of itself' },
  { path: ['ipam'], summary: 'See, check and repair IP address management' },
  { path: ['ipam', 'affinity'], summary: 'See and change which node owns which blocks' },
  { path: ['node'], summary: 'Reach nodes: see and judge their BGP, routes and data path' },
  { path: ['snapshot'], summary: 'Take the state of a cluster home' },
];

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  clusterDiags,
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
  nodeBgp,
  nodeCapture,
  nodeChecksystem,
  nodeDiags,
  nodeExec,
  nodeRoutes,
  nodeRun,
  nodeStatus,
  nodeVerify,
  snapshotSave,
  version,
];
