// The methods by which calico-node finds the address of its node: whether one is valid and can work from here.
import { lookup } from 'node:dns/promises';

/** Why calico-node cannot use the method for this version of IP; undefined when it can. Resolves the host of can-reach. */
export async function methodProblem(method: string, version: 4 | 6): Promise<string | undefined> {
  const [, name, value = ''] = /^([^=]*)=?(.*)$/s.exec(method) ?? [];
  if (method === 'first-found') return undefined;
  if (name === 'can-reach') return reachProblem(value, version);
  if (name !== 'interface' && name !== 'skip-interface') return `invalid IP autodetection method: ${method}`;
  const wrong = value.split(',').find((pattern) => !isRegex(pattern));
  return wrong === undefined ? undefined : `invalid interface regex specified for IP autodetection: ${wrong}`;
}

async function reachProblem(target: string, version: 4 | 6): Promise<string | undefined> {
  const found = await lookup(target, { all: true }).catch(() => []);
  if (found.length === 0) return `cannot resolve address specified for IP autodetection: ${target}`;
  if (found.some(({ family }) => family === version)) return undefined;
  return `address for IP autodetection does not resolve to an IPv${version} address: ${target}`;
}

function isRegex(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}
