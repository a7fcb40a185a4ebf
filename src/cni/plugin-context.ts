// What both plugins work with: the request, its configuration, the log, and the datastore.
import { existsSync } from 'node:fs';
import type { Datastore } from '../datastore/datastore.ts';
import { type CalicoApi, customResourceApi, v3ApiVersion } from '../resources/kind.ts';
import type { World } from '../world/world.ts';
import { serverText } from './error-text.ts';
import { type Log, openLog } from './log.ts';
import { nodenameOf } from './node-files.ts';
import { helperRunner, type RunHelper } from './programs.ts';
import { CniError } from './protocol/cni-error.ts';
import type { NetConf } from './protocol/net-conf.ts';
import { type PodArgs, podArgsOf } from './protocol/pod-args.ts';
import type { CniRequest } from './protocol/request.ts';

/** What is known before the datastore is opened. */
export interface CallContext {
  readonly world: World;
  readonly request: CniRequest;
  readonly conf: NetConf;
  readonly pod: PodArgs;
  /** The name of this node. */
  readonly node: string;
  readonly log: Log;
  readonly helper: RunHelper;
}

export interface PluginContext extends CallContext {
  readonly datastore: Datastore;
}

/** The id of the addresses of a container on a network. */
export function handleOf(conf: NetConf, containerId: string): string {
  return `${conf.name}.${containerId}`;
}

/**
 * Opens the datastore that the configuration names. Errors: CniError when there is no such datastore, or it is configured
 * wrongly; `prefix` comes before the reason. Nothing but the names of the API groups is read.
 */
export async function openDatastore(conf: NetConf, world: World, prefix = ''): Promise<Datastore> {
  const failed = (why: string): CniError => new CniError(`${prefix}${why}`);
  const type = conf.datastoreType || world.env['DATASTORE_TYPE'] || 'kubernetes';
  if (type === 'etcdv3') throw failed('the etcd datastore is not supported by this plugin');
  if (type !== 'kubernetes') throw failed(`unknown datastore type: ${type}`);
  if (conf.kubeconfig !== '' && !existsSync(conf.kubeconfig)) {
    throw failed(`stat ${conf.kubeconfig}: no such file or directory`);
  }
  const [{ kubeConnection }, { openKube }] = await Promise.all([
    import('../connect/kube-config.ts'),
    import('../datastore/kube/kube-datastore.ts'),
  ]);
  try {
    const settings = { kubeconfig: conf.kubeconfig, k8sAPIEndpoint: conf.k8sApiRoot };
    const connection = await kubeConnection(settings, world);
    return await openKube(connection, world, { calicoApi: apiOf(conf, world), asPlugin: true });
  } catch (error) {
    throw failed(serverText(error));
  }
}

/** As Calico reads the setting: anything but the name of the new API means the old one. */
function apiOf(conf: NetConf, { env }: World): CalicoApi | undefined {
  const asked = conf.calicoApiGroup || env['CALICO_API_GROUP'] || '';
  if (asked === '') return undefined;
  return asked.toLowerCase() === v3ApiVersion ? v3ApiVersion : customResourceApi;
}

/** Errors: CniError for arguments that cannot be read. */
export async function callContext(world: World, request: CniRequest, conf: NetConf): Promise<CallContext> {
  return {
    world,
    request,
    conf,
    pod: podArgsOf(request.args),
    node: await nodenameOf(conf),
    log: openLog(conf.log, world),
    helper: helperRunner(world),
  };
}
