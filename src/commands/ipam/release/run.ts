// What calictl ipam release does: plan, refuse what is in use, ask, release under guard.
import type { Released } from '../../../ipam/release/release-plan.ts';
import { parseCalicoctlReport, type ReadReport } from '../../../ipam-check/calicoctl-report/read-calicoctl-report.ts';
import { applyRelease } from '../../../ipam-live/release/apply-release.ts';
import { planRelease } from '../../../ipam-live/release/plan-release.ts';
import { counted } from '../../../text/wording.ts';
import { CalictlError, exitCodes, RefusedError, systemText, UsageError } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { requireConsent } from '../../consent.ts';
import type { ReleaseInput } from './command.ts';
import { readReport } from './report-file.ts';
import { ipamReleaseJson, ipamReleaseText } from './text.ts';

/** What to do about an address in use, by the kind of its first user that has something of its own to say. */
const inUseHints: Readonly<Record<string, string>> = {
  VirtualMachine:
    'a virtual machine keeps its address while it is stopped; if it was deleted, --force releases the address',
  Node: 'it is an address of the node itself, such as that of its tunnel, and is released with the node; --force releases it anyway',
  Service: 'it is released when the service is deleted; --force releases it anyway',
};

function inUseHint(users: readonly string[]): string {
  const kinds = users.map((user) => user.split(' ', 1)[0] ?? '');
  const known = Object.keys(inUseHints).find((kind) => kinds.includes(kind));
  return (known && inUseHints[known]) ?? 'it is released when the pod is deleted; --force releases it anyway';
}

export async function run(ctx: Context, input: ReleaseInput): Promise<Released> {
  const { pod, node, force, dryRun } = input;
  const reports = await readReports(ctx, input.fromReport);
  const store = await ctx.datastore();
  if (!dryRun && store.readOnly !== undefined) throw store.readOnly;
  const { clock, signal } = ctx.world;
  const plan = await planRelease(
    store,
    {
      addresses: input.ip,
      handles: input.handle,
      reports,
      node,
      pod,
      affinities: input.affinities,
    },
    { clock, signal, progress: ctx.progress },
  );
  if (plan.nodeAffinities?.released && plan.nodeAffinities.nodeExists) {
    throw new RefusedError(
      `node ${node} exists, so its affinities are kept; nothing was released`,
      'NODE_EXISTS',
      `release empty blocks of a node that exists with: calictl ipam affinity release --node ${node}`,
    );
  }
  if (plan.inUse.length > 0 && reports.length === 0 && !force) {
    const [first] = plan.inUse;
    throw new RefusedError(
      `${first?.address} is in use by ${first?.users.join(' and ')}${plan.inUse.length > 1 ? ` (${plan.inUse.length - 1} more are in use)` : ''}; nothing was released`,
      'ADDRESS_IN_USE',
      inUseHint(first?.users ?? []),
    );
  }
  if (input.ip.length > 0 && plan.requests.length === 0) {
    throw new CalictlError(`IP address ${plan.unassigned.join(', ')} is not assigned`, {
      code: 'NOT_ASSIGNED',
      hint: `calictl ipam show --map --ip ${plan.unassigned[0]} shows what is assigned around it`,
    });
  }
  const affinities = plan.nodeAffinities?.released ? plan.nodeAffinities.affinities : [];
  const steps = plan.requests.length + plan.handles.length + affinities.length;
  if (steps === 0 && reports.length === 0) throw nothingRecorded(input);
  if (dryRun) return { plan, dryRun: true, outcomes: [] };
  if (steps > 1) {
    const parts = [
      countedIfAny(plan.requests.length, 'address', 'addresses'),
      countedIfAny(plan.handles.length, 'handle', 'handles'),
      countedIfAny(affinities.length, 'block affinity', 'block affinities'),
    ].filter((part) => part !== '');
    await requireConsent(ctx, input, {
      plan: [
        ...plan.requests.map(({ address, about }) => `${address}  ${about}`),
        ...plan.handles.map(({ handle }) => `handle ${handle}`),
        ...affinities.map(({ cidr }) => `block ${cidr}`),
      ],
      question: `Release these ${parts.join(' and ')}?`,
      otherwise: 'nothing was released',
    });
  }
  return applyRelease(store, plan, { force, signal });
}

/** The count with its noun; empty for none. */
const countedIfAny = (count: number, one: string, many: string): string =>
  count === 0 ? '' : counted(count, one, many);

/** No address is recorded for what was named. */
function nothingRecorded({ handle, node, pod }: ReleaseInput): CalictlError {
  const error = (subject: string, hint: string): CalictlError =>
    new CalictlError(`no address is allocated ${subject}`, { code: 'NOT_ASSIGNED', hint });
  if (node !== undefined) {
    return error(`for node ${node}`, `release its block affinities with: calictl ipam affinity release --node ${node}`);
  }
  if (pod !== undefined) {
    return error(`for pod ${pod.namespace}/${pod.name}`, 'calictl ipam show --ip shows who an address is recorded for');
  }
  return error(
    `under the handle ${handle.join(', ')}`,
    'delete a handle that no block mentions with: calictl ipam check --fix --only INV-45',
  );
}

/** Errors: UsageError for a file that cannot be read or is not a report. */
function readReports(ctx: Context, files: readonly string[]): Promise<ReadReport[]> {
  return Promise.all(
    files.map(async (file) => {
      const text = await readReport(ctx.world, file).catch((cause: unknown) => {
        ctx.world.signal.throwIfAborted();
        throw new UsageError(
          `the report ${file} cannot be read: ${systemText(cause)}`,
          'write one with: calictl ipam check --report FILE',
          'REPORT_UNREADABLE',
        );
      });
      return parseCalicoctlReport(text, file);
    }),
  );
}

export function exit(result: Released): number {
  if (result.dryRun) return exitCodes.ok;
  const { unassigned, changed, young } = result.plan;
  const undone = result.outcomes.filter(({ outcome }) => outcome !== 'applied');
  return undone.length + unassigned.length + changed.length + young.length > 0 ? exitCodes.partial : exitCodes.ok;
}

export const formats = { text: ipamReleaseText, json: ipamReleaseJson };
