// ipam configure and ipam split compared with the calicoctl that CALICOCTL names, on equal objects of a real
// kube-apiserver: exit code, both streams, and what is stored after each command line.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { parseJson } from '../../src/text/json.ts';
import { type Answer, reference, runReference } from '../support/program/reference-calicoctl.ts';
import { run } from '../support/program/world.ts';
import type { ApiAdmin } from '../support/servers/api-admin.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';

const apiVersion = 'crd.projectcalico.org/v1';
const config = (spec: object): KubeObject => ({ apiVersion, kind: 'IPAMConfig', metadata: { name: 'default' }, spec });
const pool = (name: string, cidr: string, spec: object = {}): KubeObject => ({
  apiVersion,
  kind: 'IPPool',
  metadata: { name },
  spec: { cidr, nodeSelector: 'all()', ...spec },
});
const information = (datastoreReady: boolean): KubeObject => ({
  apiVersion,
  kind: 'ClusterInformation',
  metadata: { name: 'default' },
  spec: { clusterGUID: 'a', calicoVersion: 'v3.31.4', datastoreReady },
});
const locked = information(false);

interface Stored {
  readonly name: string;
  readonly spec: unknown;
}

async function specsOf(admin: ApiAdmin, plural: string): Promise<Stored[]> {
  const { body } = await admin.request('GET', `/apis/crd.projectcalico.org/v1/${plural}`);
  const { items } = parseJson(body) as unknown as { items: KubeObject[] };
  return items.map(({ metadata, spec }) => ({ name: metadata.name, spec }));
}

interface Outcome extends Answer {
  readonly pools: readonly Stored[];
  readonly configs: readonly Stored[];
}

type Program = (argv: readonly string[], env: Record<string, string>) => Promise<Answer>;
const ours: Program = async (argv, env) => {
  const { code, stdout, stderr } = await run(argv, { env, programName: 'calicoctl' });
  return { code, stdout, stderr };
};
const theirs: Program = (argv, env) => runReference(argv, { DATASTORE_TYPE: 'kubernetes', ...env });

/** What comes of the command lines, one after the other, on a server that holds these objects. */
async function outcomes(
  program: Program,
  { admin, kubeconfig }: ApiServer,
  objects: readonly KubeObject[],
  lines: readonly string[],
  context?: string,
): Promise<Outcome[]> {
  for (const kind of ['IPPool', 'IPAMConfig', 'ClusterInformation', 'IPAMBlock']) await admin.deleteAll(kind);
  await admin.load(objects);
  const env = { KUBECONFIG: kubeconfig, ...(context === undefined ? {} : { K8S_CURRENT_CONTEXT: context }) };
  const found: Outcome[] = [];
  for (const line of lines) {
    const answer = await program(line.split(' '), env);
    const [pools, configs] = await Promise.all([specsOf(admin, 'ippools'), specsOf(admin, 'ipamconfigs')]);
    found.push({ ...answer, pools, configs });
  }
  return found;
}

const strict = (value: string, limit?: string): string =>
  `ipam configure --strictaffinity=${value}${limit === undefined ? '' : ` --max-blocks-per-host=${limit}`}`;

/** The same in every respect. */
const same: readonly (readonly [string, readonly KubeObject[], readonly string[]])[] = [
  [
    'configure without an object',
    [],
    [
      'ipam configure',
      'ipam configure show',
      'ipam configure --max-blocks-per-host=3',
      'ipam configure --strictaffinity',
      'ipam configure --strictaffinity=true --strictaffinity=true',
      'ipam configure --strictaffinity=true extra',
      'ipam configure --strictaffinity=true --auto-allocate-blocks=true',
      'ipam configure --strictaffinity=true --dry-run',
      'ipam configure --strictaffinity=true -o json',
      ...['maybe', '', 'yes', 'tRUE', ' true', '10', '-1', 'on'].map((value) => strict(value)),
      strict('x', 'x'),
      ...['x', '0x10', '1.5', '1e3', '99999999999999999999', '-', '+', '1_000'].map((limit) => strict('true', limit)),
      strict('false', '4'),
      strict('false'),
    ],
  ],
  ...['1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False'].map(
    (value) => [`configure to ${value} without an object`, [], [strict(value)]] as const,
  ),
  ['configure with a limit without an object', [], [strict('true', '4'), strict('true'), strict('T', '+5')]],
  ['configure a limit of 0 without an object', [], [strict('false', '0')]],
  [
    'configure what is there',
    [config({ strictAffinity: false, autoAllocateBlocks: true })],
    [
      strict('false'),
      strict('false', '-1'),
      strict('true', '-1'),
      strict('true', '2147483648'),
      strict('true', '2147483647'),
      strict('true', '007'),
      strict('true', ''),
      strict('false'),
      strict('false', '7'),
      strict('false', '0'),
      'ipam configure --strict t',
      'ipam configure --max 9 --strictaffinity 1',
    ],
  ],
  [
    'configure a configuration that cannot work',
    [config({ strictAffinity: false, autoAllocateBlocks: false })],
    [strict('false'), strict('false', '0'), strict('false', '3'), strict('true'), strict('false'), strict('1', '2')],
  ],
  [
    'configure with addresses borrowed',
    [
      config({ strictAffinity: false, autoAllocateBlocks: true }),
      {
        apiVersion,
        kind: 'IPAMBlock',
        metadata: { name: '10-0-0-0-30' },
        spec: {
          cidr: '10.0.0.0/30',
          affinity: 'host:a',
          strictAffinity: false,
          deleted: false,
          allocations: [0, null, null, null],
          unallocated: [1, 2, 3],
          attributes: [{ handle_id: 'h', secondary: { node: 'b' } }],
        },
      },
    ],
    [strict('true')],
  ],
  [
    'split before a pool is looked for',
    [],
    [
      'ipam split',
      'ipam split 2',
      'ipam split x',
      'ipam split 2 4 --name=p',
      'ipam split --name=p',
      'ipam split -2 --name=p',
      'ipam split 2 --name= --cidr=',
      'ipam split 2 --name=p --name=q',
      'ipam split 2 --name',
      'ipam split 2 --name=p --dry-run',
      'ipam split 2 --name=p',
      'ipam split 2 --cidr=10.0.0.0/24',
    ],
  ],
  [
    'split without a lock',
    [information(true), pool('p', '10.0.0.0/24')],
    ['ipam split 2 --name=p', 'ipam split x --name=p'],
  ],
  [
    'split of a pool that is not there',
    [locked, pool('p', '10.0.0.0/24'), pool('p6', 'fd00:0::/64')],
    [
      'ipam split 2 --name=q',
      'ipam split x --name=q',
      'ipam split 2 --name=q --cidr=10.0.0.0/24',
      'ipam split 2 --cidr=10.0.0.0/25',
      'ipam split 2 --cidr=10.0.0.7/24',
      'ipam split 2 --cidr=bad',
      'ipam split x --cidr=bad',
      'ipam split 2 --cidr=fd00::/64',
    ],
  ],
  [
    'split of a pool whose CIDR has host bits',
    [locked, pool('p', '10.0.0.7/24')],
    ['ipam split 2 --name=p', 'ipam split x --name=p'],
  ],
  [
    'split of a pool whose CIDR is none',
    [locked, pool('p', 'bad')],
    ['ipam split 2 --name=p', 'ipam split 2 --cidr=bad'],
  ],
  ['split by name', [locked, pool('p', '10.0.1.0/24')], ['ipam split 4 --name=p', 'ipam split 4 --name=p']],
  ['split of a part', [locked, pool('p', '10.0.1.0/24')], ['ipam split 2 --name=p', 'ipam split 2 --name=split-p-1']],
  ['split by CIDR', [locked, pool('p', '10.0.1.0/24'), pool('q', '10.1.0.0/16')], ['ipam split --cidr 10.1.0.0/16 +8']],
  [
    'split by both',
    [locked, pool('p', '10.0.1.0/24'), pool('q', '10.1.0.0/16')],
    ['ipam split 2 --name=p --cidr=10.1.0.0/16'],
  ],
  ['split down to the block', [locked, pool('p', '10.0.0.0/26', { blockSize: 29 })], ['ipam split 8 --name=p']],
  [
    'split of IPv6',
    [locked, pool('p6', 'fd00:0::/64', { blockSize: 122, allowedUses: ['Workload'], namespaceSelector: 'all()' })],
    ['ipam split 4 --cidr=fd00:0::/64'],
  ],
  [
    'split of a disabled pool',
    [
      locked,
      pool('p', '10.0.0.0/24', { disabled: true, disableBGPExport: true, natOutgoing: true, vxlanMode: 'CrossSubnet' }),
    ],
    ['ipam split 2 --name=p'],
  ],
  [
    'split of a pool in the form of Calico 2',
    [locked, pool('p', '10.0.0.0/24', { ipip: { enabled: true, mode: 'cross-subnet' }, 'nat-outgoing': true })],
    ['ipam split 2 --name=p'],
  ],
  [
    'split with a long name',
    [locked, pool('a'.repeat(248), '10.0.0.0/24')],
    [`ipam split 2 --name=${'a'.repeat(248)}`],
  ],
];

/** The same texts and exit code, but calicoctl has disabled the pool by then, and may have made some parts. */
const untouched: readonly (readonly [string, readonly KubeObject[], string])[] = [
  ...['x', '2x', '1', '3', '6', '2.0', '512', '65536', '99999999999999999999', '٢'].map(
    (number) => [`split into ${number}`, [locked, pool('p', '10.0.0.0/24')], `ipam split ${number} --name=p`] as const,
  ),
  ['split of a single address', [locked, pool('p', '10.0.0.0/31', { blockSize: 32 })], 'ipam split 4 --name=p'],
  ['split below the block', [locked, pool('p', '10.0.0.0/24')], 'ipam split 8 --name=p'],
  ['split below the block of IPv6', [locked, pool('p', 'fd00::/120')], 'ipam split 8 --name=p'],
  [
    'split with another pool in the way',
    [locked, pool('p', '10.0.0.0/24'), pool('split-p-1', '10.9.0.0/24')],
    'ipam split 2 --name=p',
  ],
  [
    'split with its own part configured otherwise',
    [locked, pool('p', '10.0.0.0/24', { disabled: true }), pool('split-p-0', '10.0.0.0/25', { natOutgoing: true })],
    'ipam split 2 --name=p',
  ],
];

const isDisabled = ({ spec }: Stored): boolean => (spec as { disabled?: boolean }).disabled === true;

describe.skipIf(reference === undefined)('next to calicoctl (skipped unless CALICOCTL names it)', () => {
  describeWithApiServer('on Kubernetes', (server) => {
    it.each(same)('the same text and objects as calicoctl: %s', { timeout: 120_000 }, async (_, objects, lines) => {
      const left = await outcomes(ours, server(), objects, lines);
      const right = await outcomes(theirs, server(), objects, lines);
      for (const [index, line] of lines.entries()) expect(left[index], line).toEqual(right[index]);
    });

    it.each(untouched)('the same text as calicoctl and no write: %s', async (_, objects, line) => {
      const before = objects.filter(({ kind }) => kind === 'IPPool');
      const [left] = await outcomes(ours, server(), objects, [line]);
      const [right] = await outcomes(theirs, server(), objects, [line]);
      expect({ ...left, pools: [] }).toEqual({ ...right, pools: [] });
      expect(left?.code).toBe(1);
      expect(left?.pools).toEqual(before.map(({ metadata, spec }) => ({ name: metadata.name, spec })));
      expect(right?.pools.filter(({ name }) => name === 'p').every(isDisabled)).toBe(true);
    });

    it('ipam split 0 deletes the pool in calicoctl, and is refused here', async () => {
      const objects = [locked, pool('p', '10.0.0.0/24')];
      const [left] = await outcomes(ours, server(), objects, ['ipam split 0 --name=p']);
      const [right] = await outcomes(theirs, server(), objects, ['ipam split 0 --name=p']);
      expect(right).toMatchObject({ code: 0, pools: [] });
      expect(left).toEqual({
        code: 1,
        stdout: '',
        configs: [],
        stderr:
          'error splitting the CIDR 10.0.0.0/24 into 0 CIDRs: number to split CIDR into is not a valid power of 2: 0\n',
        pools: [{ name: 'p', spec: { cidr: '10.0.0.0/24', nodeSelector: 'all()' } }],
      });
    });

    it('the same text as calicoctl without rights, and with a guard that cannot read', async () => {
      const lines = [
        'ipam configure --strictaffinity=true',
        'ipam configure --strictaffinity=true --allow-version-mismatch',
        'ipam configure --allow-version-mismatch',
        'ipam configure --strictaffinity=x --allow-version-mismatch',
        'ipam split 2 --name=p',
        'ipam split 2 --name=p --allow-version-mismatch',
        'ipam split 2 --allow-version-mismatch',
      ];
      const left = await outcomes(ours, server(), [locked], lines, 'nobody');
      const right = await outcomes(theirs, server(), [locked], lines, 'nobody');
      for (const [index, line] of lines.entries()) expect(left[index], line).toEqual(right[index]);
    });

    it('ipam split finishes what an interrupted calicoctl left', async () => {
      const objects = [locked, pool('p', '10.0.0.0/24'), pool('split-p-1', '10.9.0.0/24')];
      await outcomes(theirs, server(), objects, ['ipam split 2 --name=p']);
      const { admin, kubeconfig } = server();
      await admin.request('DELETE', '/apis/crd.projectcalico.org/v1/ippools/split-p-1');
      const env = { KUBECONFIG: kubeconfig };
      expect(await run('ipam split 2 --name p -o json', { env })).toMatchObject({ code: 0 });
      const pools = await specsOf(admin, 'ippools');
      expect(
        pools.map(({ name, spec }) => [name, (spec as { cidr: string }).cidr, isDisabled({ name, spec })]),
      ).toEqual([
        ['split-p-0', '10.0.0.0/25', false],
        ['split-p-1', '10.0.0.128/25', false],
      ]);
    });
  });
});
