// The real iptables-nft and nft in a namespace: what they print for chains like those of Felix.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseIptablesSave } from '../../../src/node-state/packet-filter/iptables-save.ts';
import { parseNftTable } from '../../../src/node-state/packet-filter/nft.ts';
import type { FilterTable } from '../../../src/node-state/packet-filter/packet-filter.ts';
import { makeNamespace, type Namespace } from '../../support/lab/network-namespace.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { answerOf } from '../../support/recorded/recordings.ts';

/** `chain policy: chains and actions of its rules`, of one table. */
function short(tables: readonly FilterTable[], name: string): readonly string[] {
  const chains = tables.filter((table) => table.name === name).flatMap((table) => table.chains);
  return chains.map((chain) =>
    [
      `${chain.name} ${chain.policy ?? '-'}:`,
      ...chain.rules.map(({ chains: next, action }) => [...next, ...(action === undefined ? [] : [action])].join('+')),
    ].join(' '),
  );
}

const iptables: readonly (readonly string[])[] = [
  ['-N', 'cali-FORWARD'],
  ['-P', 'FORWARD', 'DROP'],
  ['-I', 'FORWARD', '-m', 'comment', '--comment', 'cali:wUHhoiAYhphO9Mso', '-j', 'cali-FORWARD'],
  ['-N', 'cali-fw-cali1'],
  ['-A', 'cali-FORWARD', '-i', 'cali1', '-m', 'comment', '--comment', 'a "quoted" -j DROP text', '-g', 'cali-fw-cali1'],
  ['-A', 'cali-fw-cali1', '-m', 'comment', '--comment', 'one', '-j', 'MARK', '--set-xmark', '0x10000/0x10000'],
  ['-A', 'FORWARD', '-m', 'mark', '--mark', '0x10000/0x10000', '-j', 'ACCEPT'],
  ['-t', 'nat', '-A', 'POSTROUTING', '-s', '10.244.0.0/16', '-j', 'MASQUERADE', '--random-fully'],
];

describeWithPrograms('iptables-nft in a namespace', ['ip', 'iptables-nft', 'iptables-nft-save', 'nft'], () => {
  let node: Namespace;

  beforeAll(() => {
    node = makeNamespace('iptables');
    for (const rule of iptables) node.run('iptables-nft', ...rule);
  });

  afterAll(() => node?.remove());

  it.each([[[]], [['-c']]])('the packet filter of a namespace is read from iptables-nft-save %j', (options) => {
    const tables = answerOf(parseIptablesSave(node.run('iptables-nft-save', ...options)));
    expect(tables.map(({ name }) => name)).toEqual(['filter', 'nat']);
    expect([...short(tables, 'filter')].sort()).toEqual([
      'FORWARD DROP: cali-FORWARD accept',
      'INPUT ACCEPT:',
      'OUTPUT ACCEPT:',
      'cali-FORWARD -: cali-fw-cali1',
      'cali-fw-cali1 -: mark',
    ]);
    expect(short(tables, 'nat')).toContain('POSTROUTING ACCEPT: masquerade');
    const comments = tables.flatMap(({ chains }) => chains.flatMap(({ rules }) => rules.map(({ comment }) => comment)));
    expect(comments.filter((comment) => comment !== undefined).sort()).toEqual([
      'a "quoted" -j DROP text',
      'cali:wUHhoiAYhphO9Mso',
      'one',
    ]);
    const forward = tables[0]?.chains.find(({ name }) => name === 'FORWARD');
    expect(forward?.rules[1]?.text).toBe('-m mark --mark 0x10000/0x10000 -j ACCEPT');
  });

  it('the packet filter of a namespace is read from nft', () => {
    const tables = answerOf(parseNftTable(node.run('nft', '-j', 'list', 'table', 'ip', 'filter')));
    expect(tables.map(({ family }) => family)).toEqual(['ip']);
    expect(short(tables, 'filter')).toEqual(
      expect.arrayContaining([
        'FORWARD DROP: cali-FORWARD accept',
        'cali-FORWARD -: cali-fw-cali1',
        'cali-fw-cali1 -: mark',
      ]),
    );
  });

  it('a namespace without packet filter tables is read', () => {
    node.run('nft', 'flush', 'ruleset');
    expect(answerOf(parseIptablesSave(node.run('iptables-nft-save')))).toEqual([]);
    expect(answerOf(parseNftTable(node.run('nft', '-j', 'list', 'ruleset')))).toEqual([]);
  });
});

const ruleset = `table ip calico {
  map filter-cali-from-wl-dispatch {
    type ifname : verdict
    elements = { "cali1" : goto filter-cali-fw-cali1, "cali2" : goto filter-cali-fw-cali2 }
  }
  set cali40all-ipam-pools { type ipv4_addr; flags interval; elements = { 10.244.0.0/16 }
  }
  chain filter-cali-fw-cali1 { counter accept comment "Policy a ingress"
  }
  chain filter-cali-fw-cali2 { counter drop
  }
  chain filter-FORWARD { type filter hook forward priority 0; policy drop;
    iifname vmap @filter-cali-from-wl-dispatch
    jump filter-cali-fw-cali1
    iifname vmap { "a" : goto filter-cali-fw-cali2, "b" : drop }
    ip saddr @cali40all-ipam-pools return
  }
}
table ip6 calico { chain filter-INPUT { type filter hook input priority 0; policy accept;
  }
}
`;

describeWithPrograms('nft in a namespace', ['ip', 'nft'], () => {
  let node: Namespace;

  beforeAll(() => {
    node = makeNamespace('nft');
    node.run('nft', ruleset);
  });

  afterAll(() => node?.remove());

  it('nft chains, policies, comments and jumps are read, also through verdict maps', () => {
    const tables = answerOf(parseNftTable(node.run('nft', '-j', 'list', 'table', 'ip', 'calico')));
    expect(short(tables, 'calico')).toEqual([
      'filter-cali-fw-cali1 -: accept',
      'filter-cali-fw-cali2 -: drop',
      'filter-FORWARD DROP: filter-cali-fw-cali1+filter-cali-fw-cali2 filter-cali-fw-cali1 filter-cali-fw-cali2 return',
    ]);
    expect(tables[0]?.chains[0]?.rules[0]?.comment).toBe('Policy a ingress');
    expect(tables[0]?.chains[2]?.rules[3]?.text).toContain('@cali40all-ipam-pools');
  });

  it('nft tables of one name are distinguished by family', () => {
    const tables = answerOf(parseNftTable(node.run('nft', '-j', 'list', 'ruleset')));
    expect(tables.map(({ family, name, chains }) => [family, name, chains.length])).toEqual([
      ['ip', 'calico', 3],
      ['ip6', 'calico', 1],
    ]);
  });
});
