// The CNI plugin as a process on a node of its own: real namespaces, a real API server, the rights of Calico's role only.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { node, pool } from '../support/clusters/ipam-state.ts';
import { CniNode } from '../support/lab/cni-node.ts';
import { describeWithPrograms, partPath } from '../support/program/parts.ts';
import { ownPluginPair, type PluginPair } from '../support/program/plugin-pair.ts';
import { type ProgramResult, printedBy, runProgram } from '../support/program/run-program.ts';
import { testFolder } from '../support/program/test-folder.ts';
import { until } from '../support/program/until.ts';
import { describeWithApiServer } from '../support/servers/api-server.ts';
import { type AskedRight, RecordingProxy } from '../support/servers/recording-proxy.ts';

const user = 'cni-plugin';
const ipamKinds = ['blockaffinities', 'ipamblocks', 'ipamhandles', 'ippools', 'ipreservations', 'ipamconfigs'];

/** What the role allows that Calico installs for its plugin: docs/reference/cni.md. */
const role: readonly KubeObject[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: user },
    rules: [
      { apiGroups: [''], resources: ['pods', 'nodes', 'namespaces'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
      {
        apiGroups: ['crd.projectcalico.org'],
        resources: [...ipamKinds, 'clusterinformations'],
        verbs: ['get', 'list', 'create', 'update', 'delete'],
      },
    ],
  } as KubeObject,
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  } as KubeObject,
];

const hostInterface = 'cali0761ccbeace';

const webPod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', namespace: 'default' },
  spec: { nodeName: 'node-a', containers: [{ name: 'web', image: 'web' }] },
};

describeWithPrograms('the CNI plugin on a node', ['ip', 'nsenter', 'unshare', 'sysctl', 'flock', 'ping'], () => {
  describeWithApiServer('with Kubernetes', (server) => {
    let here: CniNode;
    let own: PluginPair;
    let proxy: RecordingProxy;
    const files = testFolder();

    beforeAll(async () => {
      own = await ownPluginPair();
      proxy = new RecordingProxy(server(), user);
      const url = await proxy.start();
      files.write('kubeconfig', kubeconfigOf(url));
      here = await CniNode.make('plugin', { url });
      here.file('/var/lib/calico/nodename', 'node-a\n');
      await server().admin.load(role);
    });
    afterAll(async () => {
      await here?.remove();
      proxy?.stop();
      own?.remove();
      files.remove();
    });
    beforeEach(async () => {
      await server().admin.reset();
      await server().admin.load([
        { ...node('node-a'), spec: { podCIDRs: ['10.76.0.0/24', 'fd76::/64'] } },
        pool('p4', '10.244.0.0/16', 26),
        pool('p6', 'fd00:244::/48', 122),
        {
          apiVersion: 'crd.projectcalico.org/v1',
          kind: 'ClusterInformation',
          metadata: { name: 'default' },
          spec: { datastoreReady: true },
        },
        webPod,
      ]);
      proxy.asked.length = 0;
      proxy.interfere = async () => undefined;
    });

    interface Options {
      readonly containerId?: string;
      readonly conf?: Readonly<Record<string, unknown>>;
      /** `calictl`: as the command calictl cni. */
      readonly program?: 'calico' | 'calictl';
      /** A directory of the node that the plugin cannot write to; in a mount namespace of the call. */
      readonly readOnly?: string;
    }

    function call(
      command: string,
      netns: string,
      { containerId = 'c1', conf = {}, program = 'calico', readOnly }: Options = {},
    ): Promise<ProgramResult> {
      const config = {
        cniVersion: '1.0.0',
        name: 'k8s-pod-network',
        type: 'calico',
        datastore_type: 'kubernetes',
        ipam: { type: 'calico-ipam', assign_ipv6: 'true' },
        policy: { type: 'k8s' },
        kubernetes: { kubeconfig: join(files.path, 'kubeconfig') },
        log_file_path: join(files.path, 'cni.log'),
        ...conf,
      };
      const argv = program === 'calico' ? own.command('calico') : [...own.command('calictl'), 'cni'];
      const mounts = `mount --bind ${readOnly} ${readOnly} && mount -o remount,ro,bind ${readOnly} && exec "$@"`;
      return here.call({
        program: readOnly === undefined ? argv : ['unshare', '--mount', 'sh', '-c', mounts, 'sh', ...argv],
        env: {
          CNI_COMMAND: command,
          CNI_CONTAINERID: containerId,
          CNI_NETNS: netns,
          CNI_IFNAME: 'eth0',
          CNI_PATH: dirname(partPath('host-local')),
          CNI_ARGS: 'IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-1',
        },
        config: JSON.stringify(config),
      });
    }

    async function inPod<T>(work: (netns: string) => Promise<T>): Promise<T> {
      const netns = await here.pod('pod');
      try {
        return await work(netns);
      } finally {
        await here.removePod(netns);
        await runProgram(['ip', '-n', here.netns, 'link', 'del', 'dev', hostInterface]);
      }
    }

    async function stored(plural: string): Promise<readonly KubeObject[]> {
      const { body } = await server().admin.request('GET', `/apis/crd.projectcalico.org/v1/${plural}`);
      return (JSON.parse(body) as { items: KubeObject[] }).items;
    }

    async function podAnnotations(): Promise<unknown> {
      const { body } = await server().admin.request('GET', '/api/v1/namespaces/default/pods/web-1');
      return (JSON.parse(body) as KubeObject).metadata.annotations;
    }

    it('ADD connects a dual-stack pod with its node, and DEL leaves nothing of it but the block', async () => {
      await inPod(async (netns) => {
        const added = await call('ADD', netns);
        expect(added.exit, added.stdout + added.stderr).toBe(0);
        const { ips } = JSON.parse(added.stdout) as { ips: { address: string }[] };
        expect(ips.map(({ address }) => address)).toEqual([
          '10.244.174.128/32',
          'fd00:244:0:6d15:74ba:80e:4835:8080/128',
        ]);
        for (const { address } of ips) {
          const ping = ['ping', '-c1', '-W5', address.replace(/\/.*/, '')];
          expect((await here.run(ping, { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' })).exit).toBe(0);
        }
        expect(await podAnnotations()).toMatchObject({
          'cni.projectcalico.org/containerID': 'c1',
          'cni.projectcalico.org/podIP': '10.244.174.128/32',
          'cni.projectcalico.org/podIPs': '10.244.174.128/32,fd00:244:0:6d15:74ba:80e:4835:8080/128',
        });
        expect(await call('DEL', netns)).toMatchObject({ exit: 0, stdout: '' });
        expect(await call('DEL', netns)).toMatchObject({ exit: 0, stdout: '' });
        expect(await stored('ipamhandles')).toEqual([]);
        expect(await stored('ipamblocks')).toHaveLength(2);
        expect(await podAnnotations()).toMatchObject({ 'cni.projectcalico.org/podIP': '' });
        expect((await runProgram(['ip', '-n', here.netns, 'link', 'show', 'dev', hostInterface])).exit).toBe(1);
      });
    });

    it('ADD and DEL need no right that the role of the plugin lacks, and no more requests than the plugin of Calico', async () => {
      await inPod(async (netns) => {
        const ipv4 = { conf: { ipam: { type: 'calico-ipam' } } };
        await call('ADD', netns, ipv4);
        expect(proxy.asked.filter(({ status }) => status === 403)).toEqual([]);
        expect(proxy.asked.length).toBeGreaterThan(8);
        // Recorded of Calico's: 23 requests for the first ADD of a node, 16 for later ones, 13 for DEL.
        expect(proxy.asked.length).toBeLessThanOrEqual(23);
        proxy.asked.length = 0;
        await call('ADD', netns, { ...ipv4, containerId: 'c2' });
        expect(proxy.asked.length).toBeLessThanOrEqual(16);
        proxy.asked.length = 0;
        expect(await call('DEL', netns, { ...ipv4, containerId: 'c2' })).toMatchObject({ exit: 0 });
        expect(proxy.asked.length).toBeLessThanOrEqual(13);
        expect(proxy.asked.filter(({ status }) => status === 403)).toEqual([]);
      });
    });

    it('DEL of an earlier container releases its address, and leaves the endpoint to the later one', async () => {
      await inPod(async (netns) => {
        await call('ADD', netns, { containerId: 'first' });
        const later = await here.pod('later');
        try {
          expect(await call('ADD', later, { containerId: 'second' })).toMatchObject({ exit: 0 });
          const before = await podAnnotations();
          expect(await call('DEL', netns, { containerId: 'first' })).toMatchObject({ exit: 0 });
          expect(await podAnnotations()).toEqual(before);
          expect((await stored('ipamhandles')).map(({ metadata }) => metadata.name)).toEqual([
            'k8s-pod-network.second',
          ]);
          expect((await runProgram(['ip', '-n', here.netns, 'link', 'show', 'dev', hostInterface])).exit).toBe(0);
        } finally {
          await here.removePod(later);
        }
      });
    });

    it('CHECK is OK after ADD, and names what was removed since', async () => {
      await inPod(async (netns) => {
        const { stdout } = await call('ADD', netns);
        const conf = { prevResult: JSON.parse(stdout) };
        expect(await call('CHECK', netns, { conf })).toMatchObject({ exit: 0, stdout: 'OK\n' });
        await printedBy(['ip', '-n', here.netns, 'route', 'del', '10.244.174.128/32']);
        const checked = await call('CHECK', netns, { conf });
        expect(checked.exit).toBe(1);
        expect(JSON.parse(checked.stdout)).toMatchObject({
          code: 999,
          details: `missing: ip route add 10.244.174.128/32 dev ${hostInterface} scope link`,
        });
      });
    });

    it('a host route that another interface holds ends ADD with its name, and nothing of the pod is left', async () => {
      await printedBy(['ip', '-n', here.netns, 'route', 'add', '10.244.174.128/32', 'dev', 'up0', 'scope', 'link']);
      try {
        await inPod(async (netns) => {
          const { exit, stdout } = await call('ADD', netns, { conf: { ipam: { type: 'calico-ipam' } } });
          expect(exit).toBe(1);
          expect((JSON.parse(stdout) as { msg: string }).msg.replace(/Ifindex: \d+/g, 'Ifindex: N')).toBe(
            `error adding host side routes for interface: ${hostInterface}, error: route (Ifindex: N, Dst: ` +
              `10.244.174.128/32, Scope: link) already exists for an interface other than '${hostInterface}': route ` +
              '(Ifindex: N, Dst: 10.244.174.128/32, Scope: link, Iface: up0)',
          );
          expect(await stored('ipamhandles')).toEqual([]);
          expect((await runProgram(['ip', '-n', here.netns, 'link', 'show', 'dev', hostInterface])).exit).toBe(1);
        });
      } finally {
        await runProgram(['ip', '-n', here.netns, 'route', 'del', '10.244.174.128/32']);
      }
    });

    it('ADD fails when the kernel refuses required settings of the interface of the node', async () => {
      await inPod(async (netns) => {
        const ipv4 = { conf: { ipam: { type: 'calico-ipam' } }, readOnly: '/proc/sys/net/ipv4/conf' };
        const { exit, stdout } = await call('ADD', netns, ipv4);
        expect(exit, stdout).toBe(1);
        expect((JSON.parse(stdout) as { msg: string }).msg).toMatch(
          new RegExp(`^failed to set net/ipv4/conf/${hostInterface}/\\w+=1: permission denied`),
        );
        expect((await runProgram(['ip', '-n', here.netns, 'link', 'show', 'dev', hostInterface])).exit).toBe(1);
        expect(await stored('ipamhandles')).toEqual([]);
      });
    });

    it('ADD warns when the kernel refuses a setting that the pod does without', async () => {
      await inPod(async (netns) => {
        const ipv4 = { conf: { ipam: { type: 'calico-ipam' } }, readOnly: '/proc/sys/net/ipv6/conf' };
        const { exit, stdout, stderr } = await call('ADD', netns, ipv4);
        expect(exit, stdout).toBe(0);
        expect(stderr).toContain('a setting was not made; the pod works without it');
      });
    });

    const isAnnotating = ({ resource, verb }: AskedRight): boolean => resource === 'pods/status' && verb === 'patch';

    it('ADD whose annotations fail after the server has them leaves no interface, no annotated address and no handle', async () => {
      await inPod(async (netns) => {
        let lost = 0;
        let linksAtRelease: string | undefined;
        proxy.interfere = async (asked) => {
          if (isAnnotating(asked) && lost++ === 0) return 'lose';
          // The first write of IPAM after the failure releases the addresses: the pair must be gone by then.
          if (lost > 0 && asked.resource === 'ipamblocks' && asked.verb === 'update') {
            linksAtRelease ??= await printedBy(['ip', '-n', here.netns, '-br', 'link', 'show']);
          }
          return undefined;
        };
        const { exit, stdout } = await call('ADD', netns);
        expect(exit, stdout).toBe(1);
        expect(linksAtRelease).toContain('up0');
        expect(linksAtRelease).not.toContain(hostInterface);
        expect(await podAnnotations()).toMatchObject({
          'cni.projectcalico.org/podIP': '',
          'cni.projectcalico.org/podIPs': '',
        });
        expect(await stored('ipamhandles')).toEqual([]);
      });
    });

    it('ADD never annotates another pod that has got the same name meanwhile', async () => {
      await inPod(async (netns) => {
        let replaced = 0;
        proxy.interfere = async (asked) => {
          if (!isAnnotating(asked) || replaced++ > 0) return undefined;
          await server().admin.deleteAll('Pod');
          await server().admin.load([webPod]);
          return undefined;
        };
        const { exit, stdout } = await call('ADD', netns);
        expect(exit, stdout).toBe(1);
        expect(await podAnnotations()).toBeUndefined();
        expect(await stored('ipamhandles')).toEqual([]);
      });
    });

    it('DEL releases the addresses when the file of the network namespace is no longer one', async () => {
      await inPod(async (netns) => {
        expect(await call('ADD', netns)).toMatchObject({ exit: 0 });
        files.write('netns', '');
        expect(await call('DEL', join(files.path, 'netns'))).toMatchObject({ exit: 0, stdout: '' });
        expect(await stored('ipamhandles')).toEqual([]);
      });
    });

    it('CHECK fails with the words of the program when it cannot look, instead of calling things missing', async () => {
      await inPod(async (netns) => {
        const { stdout } = await call('ADD', netns);
        files.write('netns', '');
        const path = join(files.path, 'netns');
        const checked = await call('CHECK', path, { conf: { prevResult: JSON.parse(stdout) } });
        expect(checked.exit).toBe(1);
        const { msg, details } = JSON.parse(checked.stdout) as { msg: string; details: string };
        expect(msg).toBe('the state of eth0 could not be read');
        expect(details).toContain('nsenter: ');
      });
    });

    it('CHECK lists everything as missing when the pod has lost its interface', async () => {
      await inPod(async (netns) => {
        const { stdout } = await call('ADD', netns);
        await printedBy(['ip', '-n', netns.split('/').at(-1) ?? '', 'link', 'del', 'dev', 'eth0']);
        const checked = await call('CHECK', netns, { conf: { prevResult: JSON.parse(stdout) } });
        expect(checked.exit).toBe(1);
        const { msg, details } = JSON.parse(checked.stdout) as { msg: string; details: string };
        expect(msg).toBe('the network of the pod is not as ADD made it');
        expect(details).toContain(`sysctl -qw net/ipv4/conf/${hostInterface}/proxy_arp=1`);
        expect(details).toContain('in the pod: ip route add default via 169.254.1.1 dev eth0');
      });
    });

    it.skipIf(!existsSync(partPath('host-local')))(
      'host-local assigns from the range of the node, its routes replace the default route, and DEL gives the address back (skipped unless host-local is provisioned)',
      async () => {
        const networks = '/var/lib/calico/networks';
        const ipam = { type: 'host-local', dataDir: networks, subnet: 'usePodCidr', routes: [{ dst: '10.0.0.0/8' }] };
        await inPod(async (netns) => {
          const added = await call('ADD', netns, { conf: { ipam } });
          expect(added.exit, added.stdout).toBe(0);
          expect((JSON.parse(added.stdout) as { ips: unknown }).ips).toEqual([
            { address: '10.76.0.2/32', interface: 1 },
          ]);
          const routes = await printedBy(['ip', '-n', netns.split('/').at(-1) ?? '', '-4', 'route']);
          expect(routes.trim().split(/ *\n/)).toEqual([
            '10.0.0.0/8 via 169.254.1.1 dev eth0',
            '169.254.1.1 dev eth0 scope link',
          ]);
          const directory = here.pathOf(join(networks, 'k8s-pod-network'));
          expect(readdirSync(directory)).toContain('10.76.0.2');
          expect(await call('DEL', netns, { conf: { ipam } })).toMatchObject({ exit: 0, stdout: '' });
          expect(readdirSync(directory)).not.toContain('10.76.0.2');
          expect(await stored('ipamblocks')).toEqual([]);
        });
      },
    );

    it('ADD waits for the IPAM lock that another plugin of the node holds', async () => {
      await inPod(async (netns) => {
        const lock = here.pathOf('/var/run/calico/ipam.lock');
        const holder = spawn('flock', ['-x', lock, 'sh', '-c', 'echo held; read line'], {
          stdio: ['pipe', 'pipe', 'ignore'],
        });
        try {
          await new Promise((resolve) => holder.stdout.once('data', resolve));
          const adding = call('ADD', netns);
          // The kernel lists who waits for a lock with an arrow, and the lock by the inode of its file.
          const inode = statSync(lock).ino;
          const waiting = (): boolean => new RegExp(`-> FLOCK .*:${inode} `).test(readFileSync('/proc/locks', 'utf8'));
          await until(waiting, 'the plugin waits for the lock');
          expect(await stored('ipamhandles')).toEqual([]);
          holder.stdin.end('\n');
          expect((await adding).exit).toBe(0);
          expect(await stored('ipamhandles')).toHaveLength(1);
        } finally {
          holder.kill();
        }
      });
    });

    it('GC of calictl cni releases the addresses of containers that are not listed, and no others', async () => {
      await inPod(async (netns) => {
        await call('ADD', netns, { containerId: 'gone' });
        await call('ADD', netns, { containerId: 'kept' });
        await call('ADD', netns, { containerId: 'other', conf: { name: 'other-network' } });
        await call('ADD', netns, { containerId: 'longer', conf: { name: 'k8s-pod-network.2' } });
        const conf = { cniVersion: '1.1.0', 'cni.dev/valid-attachments': [{ containerID: 'kept', ifname: 'eth0' }] };
        expect(await call('GC', netns, { conf, program: 'calictl' })).toMatchObject({ exit: 0, stdout: '' });
        expect((await stored('ipamhandles')).map(({ metadata }) => metadata.name)).toEqual([
          'k8s-pod-network.2.longer',
          'k8s-pod-network.kept',
          'other-network.other',
        ]);
      });
    });

    it('GC without a list of containers releases nothing', async () => {
      await inPod(async (netns) => {
        await call('ADD', netns);
        const { exit, stdout } = await call('GC', netns, { conf: { cniVersion: '1.1.0' }, program: 'calictl' });
        expect(exit).toBe(1);
        expect(JSON.parse(stdout)).toEqual({ code: 7, msg: 'GC needs the list cni.dev/valid-attachments' });
        expect(await stored('ipamhandles')).toHaveLength(1);
      });
    });

    it('STATUS of calictl cni is an error 50 while the datastore is locked', async () => {
      await inPod(async (netns) => {
        const status = () => call('STATUS', netns, { conf: { cniVersion: '1.1.0' }, program: 'calictl' });
        expect(await status()).toMatchObject({ exit: 0, stdout: '' });
        const path = '/apis/crd.projectcalico.org/v1/clusterinformations/default';
        const { metadata, ...object } = JSON.parse((await server().admin.request('GET', path)).body) as KubeObject;
        await server().admin.request('PUT', path, { ...object, metadata, spec: { datastoreReady: false } });
        const locked = await status();
        expect(locked.exit).toBe(1);
        expect(JSON.parse(locked.stdout)).toEqual({
          code: 50,
          msg: 'Calico is currently not ready to process requests',
        });
      });
    });

    it('logs go to the file and to standard error, and the answer alone to standard output', async () => {
      await inPod(async (netns) => {
        const { stdout, stderr } = await call('ADD', netns);
        expect(() => JSON.parse(stdout)).not.toThrow();
        expect(stderr).toContain('[INFO]');
        expect(files.read('cni.log')).toContain(stderr.split('\n')[0]);
      });
    });
  });
});

function kubeconfigOf(url: string): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'current-context: test',
    `clusters: [{name: test, cluster: {server: "${url}"}}]`,
    'contexts: [{name: test, context: {cluster: test, user: test}}]',
    'users: [{name: test, user: {}}]',
    '',
  ].join('\n');
}
