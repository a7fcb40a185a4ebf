// What must hold for every cluster: verdicts do not depend on the order of objects, on names that only tell objects apart,
// on objects that have nothing to do with the flow, or on staged policies. Over clusters made from a fixed seed.
import { describe, expect, it } from 'vitest';
import { Cluster } from '../../src/policy/cluster.ts';
import { endNamed } from '../../src/policy/ends.ts';
import { flowVerdict } from '../../src/policy/flow-verdict.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import {
  baseObjects,
  globalSet,
  gnp,
  knp,
  netset,
  np,
  pod,
  policyObjects,
  stagedGnp,
  stagedNp,
  tier,
} from '../support/clusters/policy-objects.ts';

/** The same numbers on every run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const actions = ['Allow', 'Deny', 'Pass', 'Log'] as const;
const selectorTexts = [
  "app == 'web'",
  "app == 'db'",
  'has(layer)',
  'all()',
  "app in { 'cache', 'prom' }",
  "kind == 'lab'",
] as const;
const namespaceTexts = [undefined, undefined, "env == 'prod'", 'all()', "team == 'b'", 'global()'] as const;
const flows = [
  ['shop/web', 'shop/db'],
  ['shop/cache', 'shop/db'],
  ['ops/prom', 'shop/web'],
  ['dev/tool', 'ops/prom'],
  ['192.0.2.7', 'shop/web'],
  ['shop/db', '192.0.2.7'],
] as const;

class Maker {
  readonly #next: () => number;
  #count = 0;

  constructor(seed: number) {
    this.#next = numbers(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }

  shuffled<T>(all: readonly T[]): T[] {
    return all
      .map((one) => [this.#next(), one] as const)
      .sort(([a], [b]) => a - b)
      .map(([, one]) => one);
  }

  #entity(): object {
    const choice = this.below(4);
    if (choice === 0) return {};
    if (choice === 1) return { nets: [this.of(['10.60.0.0/16', '192.0.2.0/24', '10.60.1.0/24'])] };
    const namespaceSelector = this.of(namespaceTexts);
    return { selector: this.of(selectorTexts), ...(namespaceSelector === undefined ? {} : { namespaceSelector }) };
  }

  #rules(): object[] {
    return Array.from({ length: this.below(4) }, () => ({
      action: this.of(actions),
      ...(this.below(2) === 0 ? { protocol: this.of(['TCP', 'UDP']) } : {}),
      source: this.#entity(),
      destination: this.#entity(),
    }));
  }

  /** A spec for a policy of Calico. Orders differ, so that names decide nothing. */
  #spec(): object {
    return {
      order: ((this.#count++ * 7919) % 1000) + this.#count / 1000,
      selector: this.of(selectorTexts),
      types: this.of([['Ingress'], ['Egress'], ['Ingress', 'Egress']]),
      ingress: this.#rules(),
      egress: this.#rules(),
    };
  }

  policies(): KubeObject[] {
    return Array.from({ length: 2 + this.below(6) }, () => {
      const name = `p${this.#count}`;
      switch (this.below(5)) {
        case 0:
          return gnp(name, this.#spec());
        case 1:
          return gnp(`early.${name}`, { tier: 'early', ...this.#spec() });
        case 2:
          return knp(this.of(['shop', 'ops']), name, {
            podSelector: this.of([{}, { matchLabels: { app: 'db' } }]),
            policyTypes: ['Ingress'],
            ingress: this.of([[], [{}], [{ from: [{ podSelector: {} }] }]]),
          });
        default:
          return np(this.of(['shop', 'ops', 'dev']), name, this.#spec());
      }
    });
  }

  staged(): KubeObject[] {
    return [
      stagedNp('shop', 'x', this.#spec()),
      stagedGnp('y', this.#spec()),
      stagedGnp('early.z', { tier: 'early', ...this.#spec() }),
    ];
  }
}

const sets = [
  globalSet('lab', { kind: 'lab' }, '192.0.2.0/24'),
  netset('shop', 'lab', { kind: 'lab' }, '10.60.2.40/32'),
];
const fixed = [...baseObjects, ...sets, tier('early', 100)];

type Judged = readonly [verdict: string, by: readonly (object | null)[], doubts: readonly string[]];

const verdictOf = ([verdict]: Judged): string => verdict;

/** Verdict and what decides, for each flow. */
function verdicts(objects: readonly KubeObject[]): Judged[] {
  const cluster = new Cluster(policyObjects(objects));
  return flows.map(([source, destination]) => {
    const { verdict, egress, ingress, doubts } = flowVerdict(
      cluster,
      endNamed(cluster, source),
      endNamed(cluster, destination),
      { protocol: 'tcp', port: 5432 },
      4,
    );
    return [verdict, [egress?.decidedBy ?? null, ingress?.decidedBy ?? null], doubts];
  });
}

const renamed = (object: KubeObject, suffix: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, name: object.metadata.name + suffix },
});

/** Objects that no flow above has to do with. */
const unrelated: readonly KubeObject[] = [
  pod('dev/idle', { labels: { app: 'idle' }, node: 'n2', ips: ['10.60.2.77'] }),
  netset('dev', 'far', { kind: 'far' }, '203.0.113.0/24'),
  globalSet('far', { kind: 'far' }, '198.51.100.0/24'),
  tier('unused', 1),
  np('shop', 'nobody', {
    order: -1,
    selector: "app == 'nobody'",
    types: ['Ingress', 'Egress'],
    ingress: [{ action: 'Deny' }],
  }),
  gnp('unused.nobody', {
    tier: 'unused',
    selector: "app == 'nobody'",
    types: ['Ingress', 'Egress'],
    egress: [{ action: 'Allow' }],
  }),
  knp('shop', 'nobody', { podSelector: { matchLabels: { app: 'nobody' } }, policyTypes: ['Ingress', 'Egress'] }),
];

const seeds = Array.from({ length: 80 }, (_, seed) => seed + 1);

describe('verdicts on 80 made clusters', () => {
  it('are of both kinds, and decided by policies, tiers and profiles', () => {
    const all = seeds.flatMap((seed) => verdicts([...fixed, ...new Maker(seed).policies()]));
    const deciders = new Set(all.flatMap(([, by]) => by.map((one) => (one as { kind?: string } | null)?.kind)));
    expect([...new Set(all.map(verdictOf))].sort()).toEqual(['allow', 'deny']);
    for (const kind of ['NetworkPolicy', 'GlobalNetworkPolicy', 'KubernetesNetworkPolicy', 'TierDefault', 'Profile']) {
      expect(deciders).toContain(kind);
    }
  });

  it('do not depend on the order of objects', () => {
    for (const seed of seeds) {
      const maker = new Maker(seed);
      const objects = [...fixed, ...maker.policies()];
      expect(verdicts(maker.shuffled(objects)), `seed ${seed}`).toEqual(verdicts(objects));
    }
  });

  it('do not depend on the names of policies that have different orders', () => {
    for (const seed of seeds) {
      const policies = new Maker(seed).policies().filter(({ apiVersion }) => apiVersion.startsWith('projectcalico'));
      const other = policies.map((one, index) => renamed(one, `-${(index * 31) % 17}`));
      expect(verdicts([...fixed, ...other]).map(verdictOf), `seed ${seed}`).toEqual(
        verdicts([...fixed, ...policies]).map(verdictOf),
      );
    }
  });

  it('do not change with objects that have nothing to do with the flow', () => {
    for (const seed of seeds) {
      const objects = [...fixed, ...new Maker(seed).policies()];
      expect(verdicts([...objects, ...unrelated]), `seed ${seed}`).toEqual(verdicts(objects));
    }
  });

  it('do not change when unrelated objects have other names', () => {
    for (const seed of seeds) {
      const objects = [...fixed, ...new Maker(seed).policies()];
      const others = unrelated.map((one) => (one.kind === 'Tier' ? one : renamed(one, `-${seed}`)));
      expect(verdicts([...objects, ...others]), `seed ${seed}`).toEqual(verdicts(objects));
    }
  });

  it('do not change with staged policies', () => {
    for (const seed of seeds) {
      const maker = new Maker(seed);
      const objects = [...fixed, ...maker.policies()];
      expect(verdicts([...objects, ...maker.staged()]), `seed ${seed}`).toEqual(verdicts(objects));
    }
  });
});
