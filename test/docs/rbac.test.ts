// The roles of docs/reference/rbac.md on a real API server: enough for the commands that they are for, nothing more, and
// without them the commands say what is missing.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/tree.ts';
import { toV3 } from '../../src/resources/convert/v3.ts';
import { isOnCommandLine } from '../../src/resources/kind.ts';
import { kindOf, kinds } from '../../src/resources/kinds.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { printJson } from '../../src/text/json.ts';
import { corpus } from '../support/clusters/corpus.ts';
import { everyKind } from '../support/clusters/every-kind.ts';
import { exampleObjects } from '../support/clusters/example-cluster.ts';
import { binding, type Role, rbac, rightsOf, roles, rolesNamed, untilAllowed, words } from '../support/pages/roles.ts';
import { type Ran, run, TestClock } from '../support/program/world.ts';
import { describeWithKubelets } from '../support/servers/kubelet.ts';
import { RecordingProxy } from '../support/servers/recording-proxy.ts';

/** Objects of the kinds that the example lacks. */
const more: readonly KubeObject[] = [
  { kind: 'BGPConfiguration', name: 'default', spec: { asNumber: 64512 } },
  { kind: 'BGPPeer', name: 'rack', spec: { peerIP: '192.0.2.1', asNumber: 64513 } },
  { kind: 'FelixConfiguration', name: 'default', spec: {} },
  { kind: 'IPReservation', name: 'first', spec: { reservedCIDRs: ['10.60.0.0/32'] } },
].map(({ kind, name, spec }) => ({ apiVersion: 'crd.projectcalico.org/v1', kind, metadata: { name }, spec }));

const clusterObjects = (): KubeObject[] => [...exampleObjects(), ...more, ...everyKind];

/** Writes one manifest for each kind of Calico that calictl creates in a cluster, with these labels. */
function writeManifests(folder: string, labels: Readonly<Record<string, string>>): void {
  mkdirSync(folder);
  const added = [
    { kind: 'IPPool', name: 'added', spec: { cidr: '10.99.0.0/16' } },
    { kind: 'KubeControllersConfiguration', name: 'default', spec: { controllers: {} } },
  ].map(({ kind, name, spec }) => ({ apiVersion: 'crd.projectcalico.org/v1', kind, metadata: { name }, spec }));
  // Calico needs its own tiers, which cannot be deleted.
  const ownTiers = ['default', 'adminnetworkpolicy'];
  const candidates = [...added, ...everyKind, ...more].filter(
    ({ kind, metadata }) => kind !== 'Tier' || !ownTiers.includes(metadata.name),
  );
  const written = kinds.filter(
    ({ kind, aliases, codec, derived, api }) =>
      aliases.length > 0 &&
      codec !== undefined &&
      derived === undefined &&
      api.group === 'crd.projectcalico.org' &&
      kind !== 'ClusterInformation',
  );
  for (const kind of written) {
    const object = candidates.find((one) => kindOf(one.apiVersion, one.kind) === kind);
    if (object === undefined) throw new Error(`no object of kind ${kind.kind}`);
    const { metadata, ...rest } = toV3(kind, object);
    const { name, namespace } = metadata;
    writeFileSync(
      join(folder, `${kind.api.plural}.json`),
      printJson({ ...rest, metadata: { name, namespace, labels } }),
    );
  }
}

/** `get` of every kind, all of them and by name. */
function getLines(): string[] {
  const objects = clusterObjects();
  return kinds.filter(isOnCommandLine).flatMap((kind) => {
    const {
      aliases: [alias = ''],
      namespaced,
    } = kind;
    const all = `get ${alias}${namespaced ? ' -A' : ''} -o json`;
    const object = objects.find((one) => kindOf(one.apiVersion, one.kind) === kind);
    if (object === undefined) return [all];
    const { name, namespace } = toV3(kind, object).metadata;
    return [all, `get ${alias} ${name}${namespaced ? ` -n ${namespace}` : ''} -o wide`];
  });
}

/** Command lines by command, for those that only read the datastore. */
const reading: Readonly<Record<string, readonly string[]>> = {
  get: [
    ...getLines(),
    'get wep worker--1-k8s-job--36-eth0 -n shop',
    'get profile kns.shop',
    'get profile ksa.shop.cart',
  ],
  'ipam affinity list': ['ipam affinity list'],
  'ipam capacity': ['ipam capacity'],
  'ipam check': ['ipam check -o wide'],
  'ipam configure show': ['ipam configure show'],
  'policy effective': ['policy effective shop/job-36', 'policy effective job-36 -n shop -o json'],
  'policy test': ['policy test shop/job-36 192.0.2.7 --proto udp --port 53'],
  'ipam show': ['ipam show --show-blocks', 'ipam show --ip 10.61.0.2', 'ipam show --map'],
  version: ['version'],
  wait: ['wait ippool default-pool --for=create', 'wait wep -A --all --for=jsonpath={.spec.node}'],
};

/** Command lines that run programs on the node `asked`. */
const onNodes: Readonly<Record<string, string>> = {
  'node bgp': 'node bgp',
  'node exec': 'node exec asked -- ip link show',
  'node routes': 'node routes',
  'node status': 'node status',
  'node verify': 'node verify',
};

/** Command lines that write, in an order in which each has something to do in the example without its IPAMConfig. */
const writing: readonly string[] = [
  'ipam check --fix --yes',
  'ipam assign --node worker-1 --ipv4 --handle of-a-test',
  'ipam release --handle of-a-test --yes',
  'ipam affinity claim 10.61.8.0/26 --node worker-1 --yes',
  'ipam affinity release 10.61.8.0/26 --node worker-1 --yes',
  'ipam configure --strictaffinity true',
  'ipam configure --strictaffinity false',
];
/** In a locked datastore. */
const splitting = 'ipam split 2 --name legacy-pool --yes';

const exists = (path: string): boolean => commands.some((command) => command.path.join(' ') === path);

describeWithKubelets('rbac', (server, kubelets) => {
  const proxies: RecordingProxy[] = [];
  const home = mkdtempSync(join(tmpdir(), 'calictl-rbac-'));
  afterAll(async () => {
    rmSync(home, { recursive: true });
    for (const proxy of proxies) proxy.stop();
    for (const kind of ['ClusterRoleBinding', 'ClusterRole'])
      for (const { metadata } of made.filter((object) => object.kind === kind))
        await server().admin.request('DELETE', `/apis/${rbac}/v1/${kind.toLowerCase()}s/${metadata.name}`);
  });
  const made: KubeObject[] = [];
  const load = async (objects: readonly KubeObject[]): Promise<void> => {
    made.push(...objects);
    await server().admin.load(objects);
  };

  /** A user with what is bound to him, who asks through a proxy that keeps what he asks for. */
  async function as(user: string): Promise<{ proxy: RecordingProxy; run: (line: string) => Promise<Ran> }> {
    const proxy = new RecordingProxy(server(), user);
    proxies.push(proxy);
    const endpoint = await proxy.start();
    return {
      proxy,
      run: (line) =>
        run(line, {
          env: { K8S_API_ENDPOINT: endpoint, HOME: home, EDITOR: "sed -i 's/natOutgoing: true/natOutgoing: false/'" },
          clock: new TestClock('2026-03-05T10:00:00Z'),
        }),
    };
  }

  const refusals = ({ asked }: RecordingProxy): string[] => asked.filter(({ status }) => status === 403).map(words);
  const used = ({ asked }: RecordingProxy): string[] => [...new Set(asked.map(words))].sort();

  beforeAll(() => load(roles));

  describe('calictl-reader', () => {
    const lines = Object.entries(reading).flatMap(([path, all]) => (exists(path) ? all : []));
    let reader: Awaited<ReturnType<typeof as>>;
    beforeAll(async () => {
      const role = rolesNamed('calictl-reader');
      for (const one of role) {
        await load([binding(one, 'reader')]);
        await untilAllowed(server(), 'reader', one);
      }
      await server().admin.load(clusterObjects());
      reader = await as('reader');
    });

    it('calictl-reader has only reading verbs', () => {
      const verbs = rolesNamed('calictl-reader').flatMap(({ rules }) => rules.flatMap((rule) => rule.verbs));
      expect(new Set(verbs)).toEqual(new Set(['get', 'list']));
    });

    it.each(lines)('calictl-reader is enough for: %s', async (line) => {
      const { code, stderr } = await reader.run(line);
      // The example has faults, and a policy that denies.
      expect({ code, stderr }).toEqual({ code: /^(?:ipam check|policy test)/.test(line) ? 3 : 0, stderr: '' });
      expect(refusals(reader.proxy)).toEqual([]);
    });

    it.each(lines.filter((line) => line !== 'version'))(
      'without calictl-reader the missing right is named: %s',
      async (line) => {
        const { code, stderr } = await (await as('nobody')).run(line);
        expect(code).toBe(1);
        expect(stderr).toMatch(/not allowed to (get|list) [a-z.]+|cannot (get|list) resource "[a-z]+"/);
      },
    );

    it('calictl-reader is enough for: snapshot save', async () => {
      const { code, stderr } = await reader.run(`snapshot save ${home}/whole.tgz`);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(refusals(reader.proxy)).toEqual([]);
    });

    it('calictl-reader has no right that no command uses', async () => {
      await server().admin.reset();
      const gone = corpus().find(({ name }) => name === 'INV-44-service-gone');
      await server().admin.load(gone?.objects ?? []);
      expect((await reader.run('ipam check')).code).toBe(3);
      expect(refusals(reader.proxy)).toEqual([]);
      expect(used(reader.proxy)).toEqual(rightsOf(rolesNamed('calictl-reader')));
    });
  });

  describe('calictl-node-reader', () => {
    const lines = Object.entries(onNodes).flatMap(([path, line]) => (exists(path) ? [line] : []));
    const allowed =
      (user: string, namespace: string) =>
      async (role: Role): Promise<void> => {
        await load([binding(role, user, namespace)]);
        await untilAllowed(server(), user, role, namespace);
      };
    let reader: Awaited<ReturnType<typeof as>>;
    beforeAll(async () => {
      await server().admin.reset();
      await kubelets().addNodes([{ name: 'asked' }]);
      for (const role of rolesNamed('calictl-reader')) {
        for (const user of ['node-reader', 'no-exec']) {
          await load([binding(role, user)]);
          await untilAllowed(server(), user, role);
        }
      }
      await Promise.all(rolesNamed('calictl-node-reader').map(allowed('node-reader', 'kube-system')));
      reader = await as('node-reader');
    });

    it.each(lines)('calictl-node-reader with calictl-reader is enough for: %s', async (line) => {
      const { code, stderr } = await reader.run(line);
      expect(refusals(reader.proxy)).toEqual([]);
      // It does not matter what is found on this machine, only that it was queried.
      expect(code, stderr).not.toBe(1);
      expect(used(reader.proxy)).toContain('get pods/exec');
    });

    it.each(lines)('without calictl-node-reader the missing right is named: %s', async (line) => {
      const { code, stdout, stderr } = await (await as('no-exec')).run(line);
      expect(code).toBe(1);
      expect(stdout + stderr).toMatch(/missing permission to \w+ pods\/exec in namespace kube-system/);
    });

    it('calictl-node-reader has no right that no command uses', () => {
      const asked = used(reader.proxy).filter((right) => right.includes('exec'));
      // This API server does not ask for the other half yet.
      expect([...asked, 'create pods/exec'].sort()).toEqual(rightsOf(rolesNamed('calictl-node-reader')));
    });
  });

  describe('calictl-capturer', () => {
    const line = 'node capture kube-system/calico-node-captured --image example.test/tools:1 -c 1';
    let capturer: Awaited<ReturnType<typeof as>>;
    beforeAll(async () => {
      await server().admin.reset();
      await kubelets().addNodes([{ name: 'captured' }]);
      for (const role of [...rolesNamed('calictl-reader'), ...rolesNamed('calictl-capturer')]) {
        const namespace = role.metadata.name === 'calictl-capturer' ? 'kube-system' : undefined;
        await load([binding(role, 'capturer', namespace)]);
        await untilAllowed(server(), 'capturer', role, namespace);
      }
      capturer = await as('capturer');
    });

    it(`calictl-capturer with calictl-reader is enough, and needed, for: ${line}`, async () => {
      const refused = await (await as('reader')).run(line);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('missing permission to patch pods/ephemeralcontainers in namespace kube-system');
      const capturing = capturer.run(line);
      await kubelets().startEphemeral('kube-system', 'calico-node-captured');
      // The image of the tests has no tcpdump: it was asked.
      expect((await capturing).stderr).toContain('NO_TCPDUMP');
      expect(refusals(capturer.proxy)).toEqual([]);
    });

    it('calictl-capturer has no right that no command uses', () => {
      const ofReader = rightsOf(rolesNamed('calictl-reader'));
      const asked = used(capturer.proxy).filter((right) => !ofReader.includes(right));
      // This API server does not ask for the other half yet.
      expect([...asked, 'create pods/attach'].sort()).toEqual(rightsOf(rolesNamed('calictl-capturer')));
    });
  });

  describe('calictl-editor', () => {
    let editor: Awaited<ReturnType<typeof as>>;
    beforeAll(async () => {
      await server().admin.reset();
      await server().admin.load(exampleObjects().filter(({ kind }) => kind !== 'KubeControllersConfiguration'));
      for (const role of [...rolesNamed('calictl-reader'), ...rolesNamed('calictl-editor')]) {
        for (const user of role.metadata.name === 'calictl-reader' ? ['editor', 'only-reader'] : ['editor']) {
          await load([binding(role, user)]);
          await untilAllowed(server(), user, role);
        }
      }
      editor = await as('editor');
      writeManifests(join(home, 'new'), {});
      writeManifests(join(home, 'changed'), { edited: 'yes' });
    });

    it.each([
      'create -f HOME/new/',
      'diff -f HOME/changed/',
      'apply -f HOME/changed/',
      'replace -f HOME/new/',
      'delete -f HOME/new/ --yes',
      'label node worker-1 rack=r7',
      'edit ippool default-pool',
      'delete wep worker--1-k8s-job--36-eth0 -n shop --yes',
      'delete ippool default-pool legacy-pool --force --yes',
    ])('calictl-editor with calictl-reader is enough, and needed, for: %s', async (words) => {
      const line = words.replace('HOME', home);
      const refused = await (await as('only-reader')).run(line);
      expect(refused.code).toBe(line.startsWith('diff') ? 5 : 1);
      expect(refused.stdout + refused.stderr).toMatch(/cannot (create|update|delete) resource "[a-z/]+"/);
      const { code, stderr } = await editor.run(line);
      expect(refusals(editor.proxy)).toEqual([]);
      // There are differences.
      expect(code, stderr).toBe(line.startsWith('diff') ? 1 : 0);
    });

    it('calictl-editor has no right that no command uses', () => {
      const ofReader = rightsOf(rolesNamed('calictl-reader'));
      expect(used(editor.proxy).filter((right) => !ofReader.includes(right))).toEqual(
        rightsOf(rolesNamed('calictl-editor')),
      );
    });
  });

  describe('calictl-repairer', () => {
    let repairer: Awaited<ReturnType<typeof as>>;
    beforeAll(async () => {
      await server().admin.reset();
      await server().admin.load(clusterObjects().filter(({ kind }) => kind !== 'IPAMConfig'));
      for (const role of [...rolesNamed('calictl-reader'), ...rolesNamed('calictl-repairer')]) {
        await load([binding(role, 'repairer')]);
        await untilAllowed(server(), 'repairer', role);
      }
      repairer = await as('repairer');
    });

    /** Refused to who may only read, naming what is missing; done for who may repair. */
    async function separates(line: string): Promise<void> {
      const refused = await (await as('reader')).run(line);
      expect([1, 4, 5]).toContain(refused.code);
      expect(refused.stdout + refused.stderr).toMatch(/cannot (get|create|update|delete) resource "[a-z]+"/);
      const done = await repairer.run(line);
      expect(refusals(repairer.proxy)).toEqual([]);
      // The example has faults that only a person can mend.
      expect(done.code, done.stderr).toBe(line.includes('--fix') ? 3 : 0);
    }

    it.each(writing)('calictl-repairer with calictl-reader is enough, and needed, for: %s', separates);

    it(`calictl-repairer with calictl-reader is enough, and needed, for: ${splitting}`, async () => {
      const path = '/apis/crd.projectcalico.org/v1/clusterinformations/default';
      const stored = JSON.parse((await server().admin.request('GET', path)).body) as { spec: object };
      await server().admin.request('PUT', path, { ...stored, spec: { ...stored.spec, datastoreReady: false } });
      await separates(splitting);
    });

    it('calictl-repairer has no right that no command uses', () => {
      const ofReader = rightsOf(rolesNamed('calictl-reader'));
      expect(used(repairer.proxy).filter((right) => !ofReader.includes(right))).toEqual(
        rightsOf(rolesNamed('calictl-repairer')),
      );
    });
  });
});
