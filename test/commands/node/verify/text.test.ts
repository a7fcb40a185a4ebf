// What node verify prints for many nodes: facts that were not observed are grouped by reason.
import { expect, it } from 'vitest';
import { nodeVerifyText } from '../../../../src/commands/node/verify/text.ts';
import type { Fact } from '../../../../src/datapath/verify/fact.ts';

function unseen(subject: string, name: string, seen: string): Fact {
  return {
    subject,
    fact: name,
    expected: '1',
    seen,
    verdict: 'not observed',
    id: 'F01',
    severity: 'error',
    hint: '',
    command: [],
  };
}

it('node verify prints one line for the same facts and reason on all nodes, and counts names beyond three', () => {
  const nodes = ['node-a', 'node-b', 'node-c', 'node-d', 'node-e'];
  const items = nodes.map((node) => {
    const common = ['a', 'b', 'c', 'd'].map((name) => unseen(`pod ${name}`, 'proxy_arp', `${node}: no grep there`));
    const own = node === 'node-e' ? [unseen('node', 'rules', 'ip: \u001b[31mold')] : [];
    return { node, reached: true, right: 7, facts: [...common, ...own] };
  });
  const list = {
    items,
    findings: [],
    unreached: [],
    unread: [{ kind: 'Pod', reason: 'forbidden' }],
    notAsked: [{ node: 'win-1', why: 'a Windows node' }],
    installation: 'VXLAN with BIRD, iptables, Calico IPAM',
  };
  expect(nodeVerifyText(list, false, { colour: false, columns: 999 }).split('\n')).toEqual([
    'not observed node-a, node-b, node-c and 2 more: proxy_arp of pod a, proxy_arp of pod b, proxy_arp of pod c and 1 more',
    '    no grep there',
    'not observed node-e: rules of node',
    '    ip: \\e[31mold',
    'not read Pod: forbidden; what depends on it is not judged',
    'not asked win-1: a Windows node',
    '',
    '35 of 56 facts on 5 nodes are as expected, 21 not observed; no problems.',
    'Installation: VXLAN with BIRD, iptables, Calico IPAM.',
    '',
  ]);
});

it('node verify --all colours verdicts: green for ok, by severity for wrong, faint for what was not observed', () => {
  const fact = (verdict: Fact['verdict'], severity: Fact['severity']): Fact => ({
    ...unseen('node', 'rules', 'none'),
    verdict,
    severity,
  });
  const facts = [fact('ok', 'error'), fact('wrong', 'error'), fact('wrong', 'warning'), fact('not observed', 'error')];
  const items = [{ node: 'node-a', reached: true, right: 1, facts }];
  const text = nodeVerifyText(
    { items, findings: [], unreached: [], unread: [], notAsked: [], installation: '' },
    true,
    { colour: true, columns: 80 },
  );
  expect(text.split('\n').slice(1, 5)).toEqual([
    'node-a   node      rules   1          none   \u001b[32mok\u001b[39m',
    'node-a   node      rules   1          none   \u001b[31mwrong F01\u001b[39m',
    'node-a   node      rules   1          none   \u001b[33mwrong F01\u001b[39m',
    'node-a   node      rules   1          -      \u001b[2mnot observed\u001b[22m',
  ]);
});
