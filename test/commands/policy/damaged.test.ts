// The policy commands on objects with one damaged field: no unexpected error, no raw control character, and no verdict that
// is certain because something could not be read.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/resources/object.ts';
import {
  anp,
  banp,
  baseObjects,
  cnp,
  globalSet,
  gnp,
  hostEndpoint,
  knp,
  netset,
  np,
  profile,
  slice,
  stagedGnp,
  stagedKnp,
  stagedNp,
  tier,
} from '../../support/clusters/policy-objects.ts';
import { run } from '../../support/program/world.ts';

const entity = {
  nets: ['10.60.0.0/16'],
  notNets: ['10.60.9.0/24'],
  selector: "app == 'web'",
  notSelector: "app == 'x'",
  namespaceSelector: "env == 'prod'",
  serviceAccounts: { names: ['web-sa'], selector: "role == 'frontend'" },
};
const rule = {
  action: 'Allow',
  protocol: 'TCP',
  source: entity,
  destination: { ports: [5432, 'pg', '1:2'], notPorts: [9] },
};
const icmp = { action: 'Deny', ipVersion: 4, protocol: 'ICMP', icmp: { type: 3, code: 1 }, notICMP: { type: 8 } };
const calico = {
  order: 5,
  selector: 'all()',
  types: ['Ingress', 'Egress'],
  ingress: [rule, icmp],
  egress: [icmp, rule, { action: 'Allow', destination: { services: { name: 'db', namespace: 'shop' } } }],
};
const kubernetes = {
  podSelector: { matchLabels: { app: 'db' }, matchExpressions: [{ key: 'app', operator: 'In', values: ['db'] }] },
  policyTypes: ['Ingress', 'Egress'],
  ingress: [
    {
      from: [
        { podSelector: {}, namespaceSelector: { matchLabels: { env: 'prod' } } },
        { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
      ],
      ports: [{ port: 5432, endPort: 5440, protocol: 'TCP' }],
    },
  ],
  egress: [{ to: [{ podSelector: {} }], ports: [{ port: 'pg' }] }],
};
const peers = [{ pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: 'web' } } } }, { namespaces: {} }];
const admin = {
  priority: 5,
  subject: { pods: { namespaceSelector: { matchLabels: { env: 'prod' } }, podSelector: {} } },
  ingress: [
    {
      name: 'a',
      action: 'Pass',
      from: peers,
      ports: [
        { portNumber: { protocol: 'TCP', port: 1 } },
        { portRange: { protocol: 'UDP', start: 1, end: 2 } },
        { namedPort: 'pg' },
      ],
    },
  ],
  egress: [{ name: 'b', action: 'Deny', to: [{ networks: ['192.0.2.0/24'] }] }],
};
const cluster = {
  ...admin,
  tier: 'Baseline',
  ingress: [
    {
      action: 'Deny',
      from: [{ namespaces: { matchLabels: { x: 'y' } } }],
      protocols: [
        { tcp: { destinationPort: { number: 1 } } },
        { udp: { destinationPort: { range: { start: 1, end: 2 } } } },
      ],
    },
  ],
};

const objects: readonly KubeObject[] = [
  ...baseObjects,
  tier('early', 10, 'Pass'),
  np('shop', 'p', calico),
  gnp('early.g', {
    tier: 'early',
    namespaceSelector: "env == 'prod'",
    serviceAccountSelector: 'all()',
    applyOnForward: true,
    ...calico,
  }),
  knp('shop', 'k', kubernetes),
  anp('a', admin),
  banp({ subject: { namespaces: {} }, ingress: admin.ingress }),
  cnp('c', cluster),
  stagedNp('shop', 's', calico),
  stagedGnp('early.s', { tier: 'early', ...calico }),
  stagedKnp('shop', 's', kubernetes),
  netset('shop', 'set', { kind: 'a' }, '192.0.2.0/24'),
  globalSet('set', { kind: 'b' }, '198.51.100.0/24'),
  hostEndpoint(
    'h',
    { role: 'node' },
    {
      node: 'n1',
      interfaceName: 'eth0',
      expectedIPs: ['10.0.0.1'],
      profiles: ['p'],
      ports: [{ name: 'x', protocol: 'TCP', port: 1 }],
    },
  ),
  profile('p', { ingress: [rule], egress: [icmp] }),
  slice('db', 'db-1', ['10.60.1.20'], [['TCP', 5432]]),
];

const oddValues: readonly unknown[] = [
  null,
  -1,
  1e308,
  true,
  '',
  [],
  {},
  [[]],
  'ESC\u001b[2J',
  '10.60.0.999/33',
  'x '.repeat(500),
  '__proto__',
];

/** Each place of an object, with what changes the value there. */
function* places(value: unknown, path: readonly string[] = []): Iterable<readonly string[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (path.length === 0 && (key === 'apiVersion' || key === 'kind')) continue;
    yield [...path, key];
    yield* places(member, [...path, key]);
  }
}

function changed(value: unknown, [key = '', ...rest]: readonly string[], to: unknown): unknown {
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = rest.length === 0 ? to : changed(copy[key], rest, to);
  return copy;
}

/** Every place of every object, each with one of the odd values; a few unless all are wanted. */
function* damages(): Iterable<{ readonly about: string; readonly objects: readonly KubeObject[] }> {
  let count = 0;
  const step = process.env['LONG'] ? 1 : 23;
  for (const [index, object] of objects.entries()) {
    for (const path of places(object)) {
      count++;
      if (count % step !== 0) continue;
      const value = oddValues[Math.floor(count / step) % oddValues.length];
      const damaged = [...objects];
      damaged[index] = changed(object, path, value) as KubeObject;
      yield { about: `${object.kind} ${path.join('.')} = ${JSON.stringify(value).slice(0, 40)}`, objects: damaged };
    }
  }
}

// Everything that steers a terminal, but for line ends.
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe('policy commands on damaged objects', () => {
  it('policy test and policy effective judge, doubt or refuse whatever is damaged', { timeout: 300_000 }, async () => {
    const codes = new Map<number, number>();
    let judged = 0;
    for (const damage of damages()) {
      for (const line of [
        'policy test shop/web shop/db --proto tcp --port 5432',
        'policy test 192.0.2.7 node/n1 --proto icmp -o yaml',
        'policy effective shop/db',
      ]) {
        const { code, stdout, stderr } = await run(line, { objects: damage.objects });
        const about = `${damage.about}: ${line}: ${stderr}`;
        expect([0, 1, 2, 3, 5], about).toContain(code);
        expect(stderr, about).not.toMatch(/UNEXPECTED|INTERNAL|TypeError|bug/i);
        expect(controls.test(stdout + stderr), about).toBe(false);
        codes.set(code, (codes.get(code) ?? 0) + 1);
        judged++;
      }
    }
    expect(judged).toBeGreaterThan(100);
    expect([...codes.keys()].sort()).toEqual(expect.arrayContaining([0, 3, 5]));
  });
});
