// The packet filters of a node, as far as they can drop packets of pods without a policy: what drops by default, and
// which backend Calico and kube-proxy write to.

import { faults } from '../../faults/faults.ts';
import type { NodeState } from '../../node-state/node-state.ts';
import type { FilterTable } from '../../node-state/packet-filter/packet-filter.ts';
import type { NodeReading, Observed } from '../../node-state/probes.ts';
import type { FelixSettings } from '../expected/felix-settings.ts';
import { type Fact, type FactSpec, factOf, judged, none, notObserved } from './fact.ts';

const chainNames = (tables: readonly FilterTable[]): string[] =>
  tables.flatMap(({ chains }) => chains.map(({ name }) => name));
const hasCalico = (tables: readonly FilterTable[]): boolean =>
  chainNames(tables).some((name) => name.startsWith('cali-'));
/** True when kube-proxy has chains there; those of the kubelet are in both backends. */
const hasKubeProxy = (tables: readonly FilterTable[]): boolean => chainNames(tables).includes('KUBE-SERVICES');

function forwardFact(subject: string, observed: Observed<readonly FilterTable[]>): Fact {
  const spec: FactSpec = {
    fault: faults.forwardChainDrops,
    subject,
    fact: 'chain FORWARD',
    expected: 'ACCEPT, or accepts what Calico marked',
    command: observed.argv,
    hint: 'Docker sets that policy: check that Felix runs on this node and writes to this backend (iptablesBackend); or allow forwarding ("ip-forward-no-drop" of Docker, iptables -P FORWARD ACCEPT)',
  };
  return factOf(spec, observed, (tables) => {
    const forward = tables.find(({ name }) => name === 'filter')?.chains.find(({ name }) => name === 'FORWARD');
    if (forward?.policy !== 'DROP') return { seen: forward?.policy ?? 'no such chain', isRight: true };
    const accepts = forward.rules.some(({ action, text }) => action === 'accept' && text.includes('--mark'));
    return { seen: accepts ? 'DROP, accepts what Calico marked' : 'DROP', isRight: accepts };
  });
}

const backendSpec: FactSpec = {
  fault: faults.backendsDiffer,
  subject: 'node',
  fact: 'iptables backend',
  expected: 'the same for Calico and kube-proxy',
  command: ['iptables-nft-save'],
  hint: 'set iptablesBackend of FelixConfiguration to the one that kube-proxy uses; rules left in the other backend still apply',
};

function backendFact(nft: Observed<readonly FilterTable[]>, legacy: Observed<readonly FilterTable[]>): Fact {
  if (!nft.seen) return notObserved(backendSpec, nft.why);
  if (!legacy.seen) return notObserved(backendSpec, legacy.why);
  const backends = [
    { name: 'nft', tables: nft.value },
    { name: 'legacy', tables: legacy.value },
  ];
  const calico = backends.filter(({ tables }) => hasCalico(tables)).map(({ name }) => name);
  const kube = backends.filter(({ tables }) => hasKubeProxy(tables)).map(({ name }) => name);
  const seen = `Calico in ${calico.join(' and ') || 'none'}, kube-proxy in ${kube.join(' and ') || 'none'}`;
  const apart = calico.length > 0 && kube.length > 0 && !calico.some((name) => kube.includes(name));
  return judged(backendSpec, seen, !apart);
}

/** True when nftables has the table of kube-proxy. nft exits with 1 when there is no such table. */
function kubeProxyTable(reading: NodeReading): Observed<boolean> {
  const outcome = reading.outcomes.get('nft-kube-proxy');
  if (outcome === undefined) return { seen: false, why: 'it was not read', argv: [] };
  const { argv } = outcome;
  if (outcome.kind === 'unanswered') return { seen: false, why: outcome.reason, argv };
  if (outcome.exit === 0) return { seen: true, value: true, argv };
  return outcome.stderr.includes('No such file or directory')
    ? { seen: true, value: false, argv }
    : { seen: false, why: `nft exited with code ${outcome.exit}: ${outcome.stderr.trim()}`, argv };
}

/** Where Felix writes its rules: its chains say so, in iptables or in nftables; the setting alone says it with Enabled. */
function felixBackend(
  felix: FelixSettings,
  { iptables, iptablesLegacy, nft }: NodeState,
): 'nftables' | 'iptables' | undefined {
  const inIptables = [iptables, iptablesLegacy].some((tables) => tables.seen && hasCalico(tables.value));
  if (felix.nftablesMode === 'Enabled' || (nft.seen && nft.value.some(({ chains }) => chains.length > 0))) {
    return 'nftables';
  }
  return inIptables ? 'iptables' : undefined;
}

/** F39, F40: kube-proxy must use what Felix uses. */
function kubeProxyFact(reading: NodeReading, state: NodeState, felix: FelixSettings): Fact {
  const { iptables, iptablesLegacy } = state;
  const table = kubeProxyTable(reading);
  const base = { subject: 'node', fact: 'kube-proxy' };
  if (felix.bpf) {
    const spec: FactSpec = {
      ...base,
      fault: faults.kubeProxyWithEbpf,
      expected: 'none: Felix does its work in eBPF',
      command: iptables.argv,
      hint: 'disable kube-proxy, or eBPF mode',
    };
    return factOf(spec, iptables, (tables) => {
      const runs = hasKubeProxy(tables);
      return { seen: runs ? 'rules of kube-proxy' : 'none', isRight: !runs };
    });
  }
  const backend = felixBackend(felix, state);
  const spec: FactSpec = {
    ...base,
    fault: faults.nftablesModesDiffer,
    expected: backend === undefined ? 'what Felix uses' : backend === 'nftables' ? 'nftables' : 'not nftables',
    command: table.argv,
    hint: 'make Felix (nftablesMode) and kube-proxy (mode) both use nftables, or neither',
  };
  const inIptables = [iptables, iptablesLegacy].some((tables) => tables.seen && hasKubeProxy(tables.value));
  return factOf(spec, table, (isThere) => {
    const seen = isThere ? 'nftables' : 'not nftables';
    // Without rules of its own kube-proxy disagrees with nobody: another program does its work.
    if (!isThere && backend === 'nftables' && !inIptables && iptables.seen) return { seen: none, isRight: true };
    // Without chains in iptables Felix has moved to nftables, or has not written any yet.
    if (backend === undefined && (felix.nftablesMode !== 'Disabled' || !isThere)) return { seen, isRight: true };
    return backend === undefined
      ? { why: 'it was not seen which of the two Felix uses' }
      : { seen, isRight: isThere === (backend === 'nftables') };
  });
}

/** All facts of a node's packet filters. */
export function packetFilterFacts(reading: NodeReading, state: NodeState, felix: FelixSettings): readonly Fact[] {
  const { iptables, iptablesLegacy } = state;
  const hasLegacy = iptablesLegacy.seen && iptablesLegacy.value.length > 0;
  return [
    forwardFact('node', iptables),
    ...(hasLegacy ? [forwardFact('node (legacy)', iptablesLegacy)] : []),
    backendFact(iptables, iptablesLegacy),
    kubeProxyFact(reading, state, felix),
  ];
}
