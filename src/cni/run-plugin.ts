// One call of a plugin from its environment and standard input to its answer: the programs calico and calico-ipam.
// Protocol: docs/reference/cni.md
import type { World } from '../world/world.ts';
import { asCniError } from './error-text.ts';
import { ipamAdd } from './ipam/assign.ts';
import { ipamDel } from './ipam/release.ts';
import { fileMtu, requireNodenameFile } from './node-files.ts';
import { add } from './plugin/add.ts';
import { check } from './plugin/check.ts';
import { del } from './plugin/del.ts';
import { delegate } from './plugin/delegate.ts';
import { gc } from './plugin/gc.ts';
import { passReadinessGates, requireReady } from './plugin/readiness.ts';
import { type CallContext, callContext, openDatastore, type PluginContext } from './plugin-context.ts';
import { CniError, cniErrorCodes, errorJson } from './protocol/cni-error.ts';
import { type NetConf, netConfOf, rawConf, requireLinux, versionIn } from './protocol/net-conf.ts';
import { type CniRequest, requestOf, requireKnown } from './protocol/request.ts';
import { resultJson } from './protocol/result.ts';
import { requireCommand, requireSupported, versionJson } from './protocol/versions.ts';

export interface Plugin {
  readonly name: 'calico' | 'calico-ipam';
  /** The release whose behaviour it has: `v3.31.4`. */
  readonly release: string;
  readonly versions: readonly string[];
}

export interface Answer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

const answered = (stdout: string): Answer => ({ exit: 0, stdout, stderr: '' });

/** Runs one call. Never rejects: a failure is an answer with exit code 1 and the error as JSON. */
export async function runPlugin(plugin: Plugin, argv: readonly string[], world: World): Promise<Answer> {
  if (argv.length > 0) return runWithFlags(plugin, argv, world);
  try {
    return await call(plugin, world);
  } catch (error) {
    return { exit: 1, stdout: errorJson(asCniError(error)), stderr: '' };
  }
}

async function call(plugin: Plugin, world: World): Promise<Answer> {
  const request = requestOf(world.env);
  if (request === undefined) return { exit: 0, stdout: '', stderr: about(plugin) };
  if (request.command === 'VERSION') return answered(versionJson(plugin.versions));
  const raw = rawConf(await world.io.stdin.readAll());
  requireKnown(request.command);
  const version = versionIn(raw);
  requireCommand(request.command, version, plugin.versions);
  requireSupported(version, plugin.versions);
  return plugin.name === 'calico' ? callMain(request, raw, world) : callIpam(request, raw, world);
}

function about({ name, release, versions }: Plugin): string {
  const title = name === 'calico' ? 'Calico CNI plugin' : 'Calico CNI IPAM';
  return `${title} ${release}\nCNI protocol versions supported: ${versions.join(', ')}\n`;
}

/** The main plugin. */
async function callMain(request: CniRequest, raw: NetConf['raw'], world: World): Promise<Answer> {
  if (request.command === 'CHECK') return checkMain(request, raw, world);
  if (request.command === 'STATUS') return statusMain(request, raw, world);
  const isAdd = request.command === 'ADD';
  const conf = netConfOf(raw);
  if (isAdd) requireLinux(conf);
  await requireNodenameFile(conf);
  const ofFile = isAdd ? await fileMtu(conf) : undefined;
  const call = await callContext(world, request, conf);
  const prefix = isAdd ? 'error creating calico client: ' : '';
  return withDatastore(call, prefix, async (ctx) => {
    await requireReady(ctx.datastore, world.signal);
    if (!isAdd) {
      await (request.command === 'GC' ? gc(ctx) : del(ctx));
      return '';
    }
    await passReadinessGates(conf.readinessGates, world);
    return resultJson(await add(ctx, ofFile), conf.cniVersion);
  });
}

/** Needs nothing of the datastore. */
async function checkMain(request: CniRequest, raw: NetConf['raw'], world: World): Promise<Answer> {
  if (raw['prevResult'] !== undefined) await check(await callContext(world, request, netConfOf(raw)));
  return answered('OK\n');
}

/** Whether an ADD would find what it needs. Errors: CniError 50 with the reason. */
async function statusMain(request: CniRequest, raw: NetConf['raw'], world: World): Promise<Answer> {
  try {
    const conf = netConfOf(raw);
    await requireNodenameFile(conf);
    await fileMtu(conf);
    return await withDatastore(await callContext(world, request, conf), '', async (ctx) => {
      await requireReady(ctx.datastore, world.signal);
      if (conf.ipam.type !== 'calico-ipam') await delegate(ctx, 'STATUS', raw);
      return '';
    });
  } catch (error) {
    const { message, details } = asCniError(error);
    throw new CniError(message, cniErrorCodes.notAvailable, details);
  }
}

/** The IPAM plugin on its own. It works while the datastore is locked. Errors: CniError, also for other commands. */
async function callIpam(request: CniRequest, raw: NetConf['raw'], world: World): Promise<Answer> {
  const { command } = request;
  if (command === 'CHECK') return answered('');
  if (command !== 'ADD' && command !== 'DEL') {
    throw new CniError(`calico-ipam does not support ${command}`, cniErrorCodes.invalidEnvironment);
  }
  const conf = netConfOf(raw);
  return withDatastore(await callContext(world, request, conf), '', async (ctx) => {
    if (command === 'ADD') return resultJson(await ipamAdd(ctx, conf.ipam, ctx.pod.ip), conf.cniVersion);
    await ipamDel(ctx);
    return '';
  });
}

async function withDatastore(
  call: CallContext,
  prefix: string,
  work: (ctx: PluginContext) => Promise<string>,
): Promise<Answer> {
  const datastore = await openDatastore(call.conf, call.world, prefix);
  try {
    return answered(await work({ ...call, datastore }));
  } finally {
    await datastore.close();
  }
}

/** `-v`, and for the main plugin `-t`, by which an installer waits for the datastore. */
async function runWithFlags(plugin: Plugin, argv: readonly string[], world: World): Promise<Answer> {
  const [flag = ''] = argv;
  const name = flag.replace(/^--?/, '');
  if (name === 'v') return answered(`${plugin.release}\n`);
  if (name === 't' && plugin.name === 'calico') return testDatastore(world);
  const usage =
    plugin.name === 'calico'
      ? 'Usage of Calico:\n  -t\tTest datastore connection\n  -v\tDisplay version\n'
      : 'Usage of calico-ipam:\n  -v\tDisplay version\n';
  if (name === 'h' || name === 'help') return { exit: 0, stdout: '', stderr: usage };
  return { exit: 2, stdout: '', stderr: `flag provided but not defined: -${name}\n${usage}` };
}

async function testDatastore(world: World): Promise<Answer> {
  try {
    const conf = netConfOf(rawConf(await world.io.stdin.readAll()));
    const datastore = await openDatastore(conf, world);
    try {
      await requireReady(datastore, world.signal);
    } finally {
      await datastore.close();
    }
    return answered('');
  } catch (error) {
    const { message } = asCniError(error);
    const why = message.replace(/^error unmarshall network config: /, 'failed to load netconf: ');
    const failure = new CniError('data store connection failed', cniErrorCodes.datastore, why);
    return { exit: 1, stdout: errorJson(failure), stderr: '' };
  }
}
