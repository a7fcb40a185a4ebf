// What calictl cni install does: plans from what is on the node, and carries the plan out.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { applyPlan } from '../../../cni/install/apply.ts';
import { filledTemplate, requireUsable, usualTemplate } from '../../../cni/install/conflist.ts';
import { requireCredentials } from '../../../cni/install/credentials.ts';
import { markAt, type WantedFile } from '../../../cni/install/installed-file.ts';
import { planInstall, planUninstall } from '../../../cni/install/plan.ts';
import { readRecord } from '../../../cni/install/record.ts';
import { readInputFile } from '../../../files/input-file.ts';
import { readRegularFile } from '../../../files/regular-file.ts';
import { type ChildWorld, runProgram } from '../../../node-exec/child-program.ts';
import { CalictlError, systemText, UsageError } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import type { InstallInput } from './command.ts';
import { type Installation, installationJson, installationText } from './text.ts';

const pluginNames = ['calico', 'calico-ipam'];
/** Far more than any configuration has. */
const largestInput = 8 << 20;

/** Directories of the node as they are here. */
interface Places {
  readonly binDir: string;
  readonly netDir: string;
}

export async function run(ctx: Context, input: InstallInput): Promise<Installation> {
  const root = resolve(ctx.world.cwd, input.root);
  const places = { binDir: join(root, input.binDir), netDir: join(root, input.netDir) };
  if (basename(input.confName) !== input.confName || !input.confName.endsWith('.conflist')) {
    throw new UsageError(`invalid value for --conf-name: ${input.confName}`, 'use a file name that ends in .conflist');
  }
  const record = await readRecord(places.netDir);
  const plan = input.uninstall
    ? await planUninstall(record, markAt)
    : await planInstall(await wantedFiles(ctx, input, places), record, markAt);
  if (!input.dryRun) {
    await applyPlan(plan, {
      draftName: ctx.world.random.uuid(),
      tryProgram: (path) => tryProgram(ctx, path),
      signal: ctx.world.signal,
    });
  }
  const shadowedBy = input.uninstall ? undefined : firstConfiguration(places.netDir, input.confName);
  return { dryRun: input.dryRun, files: plan.files, ...(shadowedBy !== undefined && { shadowedBy }) };
}

/** In the order in which they are needed: a runtime uses the plugin as soon as the network configuration is there. */
async function wantedFiles(ctx: Context, input: InstallInput, places: Places): Promise<readonly WantedFile[]> {
  const kubeconfig = 'calico-kubeconfig';
  const programs = await programFiles(ctx, places.binDir);
  const hasPlugin = (type: string): boolean => pluginNames.includes(type) || existsSync(join(places.binDir, type));
  const template =
    input.template === undefined ? usualTemplate(hasPlugin) : await textOf(ctx, input.template, '--template');
  const conflist = filledTemplate(template, {
    kubeconfig: join(input.netDir, kubeconfig),
    mtu: input.mtu,
    nodeName: input.nodeName,
    logLevel: input.logLevel,
  });
  requireUsable(conflist, hasPlugin);
  const file = (name: string, text: string, mode: number): WantedFile => ({
    path: join(places.netDir, name),
    content: { type: 'file', bytes: Buffer.from(text), mode },
  });
  const credentials = await credentialsOf(ctx, input, join(places.netDir, kubeconfig));
  return [...programs, file(kubeconfig, credentials, 0o600), file(input.confName, conflist, 0o644)];
}

/** A script stays where it is; an executable is copied. */
async function programFiles({ world }: Context, binDir: string): Promise<readonly WantedFile[]> {
  const { programPath } = world;
  const link = (name: string, target: string): WantedFile => ({
    path: join(binDir, name),
    content: { type: 'link', target },
  });
  if (/\.[cm]?js$/.test(programPath)) return pluginNames.map((name) => link(name, programPath));
  const bytes = await readRegularFile(programPath);
  const program: WantedFile = {
    path: join(binDir, 'calictl'),
    content: { type: 'file', bytes, mode: 0o755 },
    isProgram: true,
  };
  return [program, ...pluginNames.map((name) => link(name, 'calictl'))];
}

async function credentialsOf(ctx: Context, { credentials }: InstallInput, installed: string): Promise<string> {
  if (credentials === undefined && !existsSync(installed)) {
    throw new UsageError(
      'the plugin needs a kubeconfig',
      'name one with --credentials: that of a service account with the role of docs/reference/cni.md',
    );
  }
  const path = credentials ?? installed;
  const text = await textOf(ctx, path, '--credentials');
  await requireCredentials(text, path);
  return text;
}

async function textOf({ world: { cwd, signal } }: Context, path: string, name: string): Promise<string> {
  try {
    return (await readInputFile(resolve(cwd, path), largestInput, signal)).toString('utf8');
  } catch (cause) {
    signal.throwIfAborted();
    throw new CalictlError(`${name}: ${path} cannot be read: ${systemText(cause)}`, { code: 'UNREADABLE', cause });
  }
}

const startTimeoutMs = 30_000;

/** A program that lacks a library, or is for another processor, must not take the place of one that works. */
async function tryProgram({ world }: Context, path: string): Promise<void> {
  const child: ChildWorld = { env: {}, clock: world.clock, signalGroup: world.signalGroup };
  const { exit, stderr } = await runProgram([path, 'version', '--client'], 'this node', child, {
    timeoutMs: startTimeoutMs,
  });
  if (exit === 0) return;
  throw new CalictlError(`the program does not start on this node: ${stderr.trim() || `exit code ${exit}`}`, {
    code: 'CNI_PROGRAM',
    hint: 'nothing was replaced; use a program that was built for this system',
  });
}

/** Runtimes use the first configuration by name. */
function firstConfiguration(netDir: string, own: string): string | undefined {
  if (!existsSync(netDir)) return undefined;
  const names = readdirSync(netDir).filter((name) => /\.(conf|conflist|json)$/.test(name) && !name.startsWith('.'));
  const [first] = [...names, own].sort();
  return first === own ? undefined : first;
}

export const formats = { text: installationText, json: installationJson };
