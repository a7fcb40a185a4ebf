// Renders a set of objects in memory, and compares configurations as BIRD reads them: without comments and blank lines.
import { desiredSessions } from '../../../src/bgp/desired-sessions.ts';
import { type BirdConfiguration, birdConfiguration } from '../../../src/bird-config/bird-files.ts';
import type { Passwords } from '../../../src/bird-config/objects.ts';
import type { Kind } from '../../../src/resources/kind.ts';
import { bgpConfiguration } from '../../../src/resources/kinds/bgp-configuration.ts';
import { bgpFilter } from '../../../src/resources/kinds/bgp-filter.ts';
import { bgpPeer } from '../../../src/resources/kinds/bgp-peer.ts';
import { blockAffinity } from '../../../src/resources/kinds/block-affinity.ts';
import { endpointSlice } from '../../../src/resources/kinds/endpoint-slice.ts';
import { ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { calicoNode } from '../../../src/resources/kinds/node.ts';
import { type Secret, secret } from '../../../src/resources/kinds/secret.ts';
import { service } from '../../../src/resources/kinds/service.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import type { GeneratedSet } from './generated-set.ts';

/** The configuration of the set's node, with passwords from its Secrets. */
export function renderedSet({ node, environment, objects }: GeneratedSet): BirdConfiguration {
  const of = <T extends KubeObject>({ kind }: Kind<T>): T[] => objects.filter((one) => one.kind === kind) as T[];
  const nodes = of(calicoNode);
  const bgpConfigurations = of(bgpConfiguration);
  const plan = desiredSessions({ nodes, bgpPeers: of(bgpPeer), bgpConfigurations });
  const secrets: Secret[] = of(secret);
  const passwords: Passwords = ({ secret: name, key }) => {
    const text = secrets.find(({ metadata }) => metadata.name === name)?.data?.[key];
    return text === undefined ? undefined : atob(text);
  };
  const rest = {
    bgpFilters: of(bgpFilter),
    pools: of(ipPool),
    affinities: of(blockAffinity),
    services: of(service),
    endpointSlices: of(endpointSlice),
  };
  return birdConfiguration(node, plan, { nodes, bgpConfigurations, ...rest }, environment, passwords);
}

/** The lines that BIRD reads, without the spaces around them. */
export function statements(text: string): string[] {
  return text
    .split('\n')
    .map((line) => withoutComment(line).trim())
    .filter((line) => line !== '');
}

/** A line up to the first `#` that is not in a text. */
function withoutComment(line: string): string {
  let inText = false;
  for (const [at, character] of [...line].entries()) {
    if (character === '"') inText = !inText;
    else if (character === '#' && !inText) return [...line].slice(0, at).join('');
  }
  return line;
}
