// A lab as a cluster of a real API server: the server has its objects, and runs commands on its nodes by exec.
import type { KubeObject } from '../../../src/resources/object.ts';
import type { ApiServer } from '../servers/api-server.ts';
import type { Kubelets, NodeOptions } from '../servers/kubelet.ts';
import type { Lab } from './lab.ts';

/** Which objects the deviations of a lab change. */
const changing: Readonly<Record<string, string>> = {
  Node: '/api/v1/nodes',
  BGPConfiguration: '/apis/crd.projectcalico.org/v1/bgpconfigurations',
};

export const nodeOptions = (lab: Lab): NodeOptions[] =>
  lab.plan.nodes.map(({ name, address }) => ({ name, address: address[4], prefix: lab.prefix(name) }));

/** Loads a lab's objects into the server, with a calico-node pod on each of its nodes. */
export async function loadLab(
  lab: Lab,
  server: ApiServer,
  kubelets: Kubelets,
  options = nodeOptions(lab),
): Promise<void> {
  // First as its kubelet registers a node: with an address that leads to the stand-in.
  await kubelets.addNodes(options);
  await server.admin.load(lab.objects().filter(({ kind }) => kind !== 'Node'));
  await refreshLab(lab, server);
}

/** Updates the server with the lab's current objects. */
export async function refreshLab(lab: Lab, server: ApiServer): Promise<void> {
  for (const object of lab.objects()) {
    const collection = changing[object.kind];
    if (collection !== undefined) await replace(server, collection, object);
  }
}

async function replace({ admin }: ApiServer, collection: string, object: KubeObject): Promise<void> {
  const path = `${collection}/${object.metadata.name}`;
  const stored = JSON.parse((await admin.request('GET', path)).body) as KubeObject;
  const { labels, annotations } = object.metadata;
  const metadata = { ...stored.metadata, ...(labels && { labels }), ...(annotations && { annotations }) };
  const { status, body } = await admin.request('PUT', path, { ...stored, metadata, spec: object.spec });
  if (status !== 200) throw new Error(`PUT ${path}: ${status} ${body}`);
  // Lists from the watch cache may be slightly out of date.
  const written = BigInt((JSON.parse(body) as KubeObject).metadata.resourceVersion ?? 0);
  const cached = async (): Promise<bigint> => {
    const list = await admin.request('GET', `${collection}?resourceVersion=0`);
    return BigInt((JSON.parse(list.body) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  };
  while ((await cached()) < written);
}
