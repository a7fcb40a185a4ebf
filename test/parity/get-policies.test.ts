// `get` of policies, tiers, sets, host endpoints, filters and profiles compared with calicoctl v3.31.4 on the same cluster:
// exit code and both streams, byte for byte.
import { beforeAll, describe, expect, it } from 'vitest';
import { everyKind } from '../support/clusters/every-kind.ts';
import { reference, runReference, withoutListRevision } from '../support/program/reference-calicoctl.ts';
import { run } from '../support/program/world.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';

const environment = (server: ApiServer): Record<string, string> => ({
  DATASTORE_TYPE: 'kubernetes',
  KUBECONFIG: server.kubeconfig,
  HOME: '/nonexistent',
});

/** Each kind with names of objects, and whether it has namespaces. */
const kinds: readonly (readonly [alias: string, names: readonly string[], namespaced: boolean])[] = [
  [
    'gnp',
    [
      'allow-dns',
      'default.spelled-out',
      'platform.deny-all',
      'before-dnat',
      'of-kubectl',
      'default.of-kubectl',
      'default.annotated',
      'annotated',
    ],
    false,
  ],
  ['np', ['allow-dns', 'default.spelled-out', 'platform.deny-all', 'of-kubectl', 'platform.of-kubectl'], true],
  ['sgnp', ['allow-dns', 'platform.deny-all'], false],
  ['snp', ['allow-dns', 'platform.of-kubectl'], true],
  ['gnetsets', ['blocked'], false],
  ['netsets', ['office'], true],
  ['hep', ['node-a-eth0'], false],
  ['tiers', ['default', 'adminnetworkpolicy', 'platform', 'a-last', 'first'], false],
  ['profiles', ['projectcalico-default-allow', 'kns.shop', 'ksa.shop.cart'], false],
];

const ofEveryKind = kinds.flatMap(([alias, names, namespaced]) => {
  const formats = ['', ' -o wide', ' -o yaml', ' -o json'];
  const places = namespaced ? ['', ' -A', ' -n shop', ' -n nosuch'] : [''];
  const place = namespaced ? ' -n shop' : '';
  return [
    ...places.flatMap((where) => formats.map((format) => `${alias}${where}${format}`)),
    ...names.flatMap((name) => ['', ' -o yaml', ' -o json'].map((format) => `${alias} ${name}${place}${format}`)),
    `${alias} ${names.join(' ')} nosuch${place} -o wide`,
    `${alias} ${names.join(' ')} nosuch${place} -o yaml`,
    `${alias} ${names[0]}${place} --export -o yaml`,
    `${alias} -o custom-columns=NAME,NAME`,
    namespaced ? `${alias} -A -n shop` : `${alias} -n shop`,
  ];
});

const words = [
  // calicoctl crashes on the table of a filter with rules, and on PODSELECTOR.
  'sknp',
  'sknp -A',
  'sknp -A -o yaml',
  'sknp -n shop -o json',
  'sknp web -n shop -o yaml',
  'sknp web -n shop -o json',
  'sknp all -n shop',
  'bgpfilters -o yaml',
  'bgpfilters -o json',
  'bgpfilter empty',
  'bgpfilter empty -o wide',
  'bgpfilter rack -o yaml',
  ...ofEveryKind,
  'np default.allow-dns -n shop',
  'gnp default.allow-dns -o yaml',
  'gnp spelled-out',
  'gnp default.before-dnat before-dnat',
  'np -o custom-columns=NAMESPACE,NAME,TIER,ORDER,SELECTOR -A',
  'hep -o custom-columns=NODE,IPS,INTERFACE,PROFILES',
  'profile -o custom-columns=LABELS',
  'profile nosuch',
  'profile kns.nosuch',
  'profile kns.',
  'profile ksa.shop',
  'profile ksa.shop.nosuch',
  'profile ksa.nosuch.cart',
  'caliconodestatuses',
  'nodestatus node-a',
  'blockaffinities',
  'ipamconfig',
  'ipamblocks',
  'serviceaccounts',
  'nps',
];

describe.skipIf(reference === undefined)('next to calicoctl (skipped unless CALICOCTL names it)', () => {
  describeWithApiServer('on Kubernetes', (server) => {
    beforeAll(() => server().admin.load(everyKind));

    it.each(words.map((line) => `get ${line}`))('a cluster prints the same: calicoctl %s', async (line) => {
      const env = environment(server());
      const argv = line.split(' ').filter(Boolean);
      const [expected, ours] = await Promise.all([
        runReference(argv, env),
        run(argv, { programName: 'calicoctl', env }),
      ]);
      expect({ code: ours.code, stdout: withoutListRevision(ours.stdout), stderr: ours.stderr }).toEqual({
        ...expected,
        stdout: withoutListRevision(expected.stdout),
      });
    });
  });
});
