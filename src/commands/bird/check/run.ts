// What calictl bird check does: renders each configuration into a temporary directory, and has BIRD parse it.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { birdFileNames } from '../../../bird-config/bird-files.ts';
import { forStockBird } from '../../../bird-config/stock-bird.ts';
import { newScratchFolder } from '../../../files/scratch-folder.ts';
import { runProgram } from '../../../node-exec/child-program.ts';
import { CalictlError, exitCodes } from '../../../world/errors.ts';
import type { World } from '../../../world/world.ts';
import type { Context } from '../../command.ts';
import { nodeTargets } from '../../node/targets.ts';
import { environmentOf } from '../environment-flag.ts';
import { readPasswords } from '../passwords.ts';
import {
  configurationOf,
  distinctErrors,
  type NodeConfiguration,
  plannedConfiguration,
  remarkLines,
} from '../planned-configuration.ts';
import type { Checked, CheckedNode, Verdict } from './checked.ts';
import type { CheckInput } from './command.ts';
import { checkedJson, checkedText } from './text.ts';

const deadlineMs = 30_000;
const parallel = 4;

export async function run(ctx: Context, input: CheckInput): Promise<Checked> {
  const store = await ctx.datastore();
  const bird = await birdVersion(input.bird, ctx.world);
  const planned = await plannedConfiguration(store, ctx.world.signal);
  const environment = environmentOf(input.env);
  const passwords = await readPasswords(ctx, store, planned.plan, environment, false);
  const targets = nodeTargets(planned.nodes, input.nodes);
  const configurations = targets.map(({ name }) => configurationOf(planned, name, environment, passwords));
  for (const line of remarkLines(configurations)) await ctx.note(`warning: ${line}`);
  const items = await pMap(configurations, (one) => checked(one, input.bird, bird.isCalicos, ctx.world), {
    concurrency: parallel,
  });
  return { bird: bird.version, items };
}

/** Errors: CalictlError for a program that is not BIRD 1.x, or cannot be run. */
async function birdVersion(program: string, world: World): Promise<{ version: string; isCalicos: boolean }> {
  const { exit, stdout, stderr } = await runProgram([program, '--version'], 'this machine', world, {
    timeoutMs: deadlineMs,
    signal: world.signal,
  });
  const said = `${stdout}${stderr}`.trim();
  const [, version] = /^BIRD version (.+)$/m.exec(said) ?? [];
  if (version === undefined) {
    throw new CalictlError(`${program} is not BIRD: it ended with exit code ${exit} and said ${JSON.stringify(said)}`, {
      code: 'BIRD_MISSING',
      hint: 'install BIRD 1.6 (package bird or bird1 of the distribution), or name it with --bird',
    });
  }
  const isCalicos = version.includes('+birdv1.');
  if (!isCalicos && !version.startsWith('1.')) {
    throw new CalictlError(`${program} is BIRD ${version}, and Calico's configuration is for BIRD 1.6`, {
      code: 'BIRD_VERSION',
      hint: 'name a BIRD 1.6 with --bird',
    });
  }
  return { version, isCalicos };
}

async function checked(
  configuration: NodeConfiguration,
  program: string,
  isCalicos: boolean,
  world: World,
): Promise<CheckedNode> {
  const { node } = configuration;
  if (configuration.files === undefined) return { node, verdicts: [], error: configuration.error };
  const folder = await newScratchFolder('calictl-bird-');
  try {
    for (const name of birdFileNames) {
      const text = configuration.files[name];
      await writeFile(join(folder, name), isCalicos ? text : forStockBird(text), { mode: 0o600 });
    }
    const verdicts: Verdict[] = [];
    for (const version of [4, 6] as const) {
      const [suffix, file] = version === 4 ? ['', 'bird.cfg'] : ['6', 'bird6.cfg'];
      const argv = [`${program}${suffix}`, '-p', '-c', join(folder, file)];
      const options = { timeoutMs: deadlineMs, signal: world.signal };
      const { exit, stderr } = await runProgram(argv, 'this machine', world, options);
      if (exit === 126 || exit === 127) {
        throw new CalictlError(`${program}${suffix} cannot be run: ${stderr.trim()}`, {
          code: 'BIRD_MISSING',
          hint: 'install BIRD 1.6 for IPv6 next to that for IPv4',
        });
      }
      verdicts.push({ version, refused: exit === 0 ? undefined : complaint(stderr, folder, exit) });
    }
    return { node, verdicts, error: undefined };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `bird_ipam.cfg:12:3 …` without the directory and the name of the program. */
function complaint(stderr: string, folder: string, exit: number): string {
  const text = stderr
    .replaceAll(`${folder}/`, '')
    .replace(/^bird6?: /, '')
    .trim();
  return text === '' ? `exit code ${exit}` : text;
}

export const formats = { table: checkedText, json: checkedJson };

export function exit({ items }: Checked): number {
  if (items.some(({ verdicts }) => verdicts.some(({ refused }) => refused !== undefined))) return exitCodes.findings;
  const failed = items.filter(({ error }) => error !== undefined).length;
  if (failed === 0) return exitCodes.ok;
  return failed === items.length ? exitCodes.failed : exitCodes.partial;
}

export const errors = ({ items }: Checked): readonly Error[] => distinctErrors(items.map(({ error }) => error));
