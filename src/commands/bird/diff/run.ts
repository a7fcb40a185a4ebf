// What calictl bird diff does: reads the files of the nodes, and compares them with what it renders.
import { type BirdFileName, birdFileNames } from '../../../bird-config/bird-files.ts';
import { behaviourDifferences } from '../../../bird-config/compare.ts';
import { routerIdOfName } from '../../../bird-config/main-file.ts';
import type { BirdEnvironment } from '../../../bird-config/objects.ts';
import { withoutComments } from '../../../bird-config/parse.ts';
import { birdFileProbes, type NodeReading } from '../../../node-state/probes.ts';
import type { UnreachedNode } from '../../../node-state/unreached.ts';
import { exitCodes } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { askableTargets, readTargets } from '../../node/targets.ts';
import { environmentOf } from '../environment-flag.ts';
import { hiddenPasswords } from '../passwords.ts';
import { configurationOf, type PlannedConfiguration, plannedConfiguration } from '../planned-configuration.ts';
import type { BirdDiffInput } from './command.ts';
import type { Compared, ComparedNode, Files } from './compared.ts';
import { diffJson, diffText } from './text.ts';

export async function run(ctx: Context, input: BirdDiffInput): Promise<Compared> {
  const planned = await plannedConfiguration(await ctx.datastore(), ctx.world.signal);
  const { targets, notAsked } = askableTargets(planned.nodes, input.nodes);
  const environment = environmentOf(input.env);
  const probesOf = (node: string) => birdFileProbes(input.configDir?.replaceAll('{node}', node));
  const results = await readTargets(ctx, input, targets, probesOf, (reading) =>
    compared(reading, planned, environment),
  );
  return {
    items: results.filter((one) => 'files' in one),
    unreached: results.filter((one) => 'code' in one),
    notAsked,
  };
}

function compared(
  reading: NodeReading,
  planned: PlannedConfiguration,
  environment: BirdEnvironment,
): ComparedNode | UnreachedNode {
  const { node } = reading;
  const read = filesOf(reading);
  if ('code' in read) return read;
  const known = { ...routerIdOf(read, planned, node), ...environment };
  const rendered = configurationOf(planned, node, known, hiddenPasswords);
  if (rendered.files === undefined) {
    const { code, message, hint } = rendered.error;
    return { node, code, message, hint };
  }
  const { files } = rendered;
  const ofFamily = (all: Files, version: 4 | 6): string =>
    birdFileNames
      .filter((name) => name.startsWith('bird6') === (version === 6))
      .map((name) => all[name])
      .join('\n');
  return {
    node,
    differences: ([4, 6] as const).flatMap((version) =>
      behaviourDifferences(ofFamily(read, version), ofFamily(files, version)).map((one) => ({ ...one, version })),
    ),
    files: birdFileNames
      .map((name) => ({ name, node: withoutComments(read[name]), rendered: withoutComments(files[name]) }))
      .filter((file) => file.node !== file.rendered),
  };
}

/** The files of a node, or why they were not read. */
function filesOf({ node, unreachable, outcomes }: NodeReading): Files | UnreachedNode {
  if (unreachable?.code === 'NODE_NOT_RECORDED') {
    return {
      node,
      code: unreachable.code,
      message: 'the snapshot does not hold the configuration of BIRD',
      hint: 'save a new one with calictl snapshot save --nodes, or query the node with --via',
    };
  }
  if (unreachable !== undefined) return { node, ...unreachable };
  const files: Partial<Record<BirdFileName, string>> = {};
  for (const name of birdFileNames) {
    const outcome = outcomes.get(`file ${name}`);
    if (outcome?.kind === 'answered' && outcome.exit === 0 && !outcome.truncated) {
      files[name] = outcome.stdout;
      continue;
    }
    const why = outcome?.kind === 'answered' ? outcome.stderr.trim() || `exit code ${outcome.exit}` : outcome?.reason;
    return {
      node,
      code: 'BIRD_CONFIG_UNSEEN',
      message: `${name} could not be read: ${why ?? 'there was no answer'}`,
      hint: 'the files are in the calico-node container, which --via kube reaches, or in the directory that --config-dir names',
    };
  }
  return files as Files;
}

/** The router ID that the environment of calico-node sets, as the files show it; none for the IPv4 address of the node. */
function routerIdOf(files: Files, { plan }: PlannedConfiguration, node: string): BirdEnvironment {
  const [, id] = /^\s*router id (\d+(?:\.\d+){3});/m.exec(files['bird.cfg']) ?? [];
  if (id === routerIdOfName(node)) return { CALICO_ROUTER_ID: 'hash' };
  return id !== undefined && plan.index.node(node)?.address[4] === undefined ? { CALICO_ROUTER_ID: id } : {};
}

export const formats = { text: diffText, json: diffJson };

export function exit({ items, unreached }: Compared): number {
  if (items.length === 0 && unreached.length > 0) return exitCodes.failed;
  if (items.some(({ files }) => files.length > 0)) return exitCodes.findings;
  return unreached.length > 0 ? exitCodes.partial : exitCodes.ok;
}
