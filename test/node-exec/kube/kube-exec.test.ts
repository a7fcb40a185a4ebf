// Nodes through a real API server: which pod a command runs in, with which permissions, and what it returns. What every
// transport promises is in test/contract/, the connection in connection.test.ts.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRunning } from '../../support/program/processes.ts';
import { until } from '../../support/program/until.ts';
import { failureOf, inlineKubeconfig, kubeExecOpener, sh, target } from '../../support/servers/kube-exec.ts';
import { describeWithKubelets, Kubelets } from '../../support/servers/kubelet.ts';

describeWithKubelets('kube', (server, kubelets) => {
  const open = kubeExecOpener(server);

  describe('output', () => {
    beforeAll(() => kubelets().addNodes([{ name: 'big' }]));

    it('returns all of 20 MB of output', async () => {
      const size = 20 << 20;
      const { exit, stdout, truncated } = await (await open()).run(
        target('big'),
        sh('printf "%0*d" "$1" 7', String(size)),
        {
          maxBytes: 32 << 20,
        },
      );
      expect({ exit, length: stdout.length, end: stdout.slice(-2), truncated }).toEqual({
        exit: 0,
        length: size,
        end: '07',
        truncated: false,
      });
    });

    it('truncates output at 16 MiB by default, and still returns the exit code', async () => {
      const { exit, stdout, truncated } = await (await open()).run(target('big'), sh('printf "%020971520d" 7; exit 3'));
      expect({ exit, length: stdout.length, truncated }).toEqual({ exit: 3, length: 16 << 20, truncated: true });
    });

    it('pauses a stream while the receiver is busy, and keeps its order', async () => {
      let receiving = 0;
      let most = 0;
      let sum = '';
      const exit = await (await open()).stream(
        target('big'),
        sh('i=0; while [ $i -lt 2000 ]; do echo $i; i=$((i+1)); done'),
        {
          async onStdout(bytes) {
            receiving += 1;
            most = Math.max(most, receiving);
            await new Promise((resolve) => setImmediate(resolve));
            sum += Buffer.from(bytes).toString();
            receiving -= 1;
          },
          onStderr: () => undefined,
        },
      );
      expect({ exit, most }).toEqual({ exit: 0, most: 1 });
      expect(sum).toBe(Array.from({ length: 2000 }, (_, i) => `${i}\n`).join(''));
    });

    it('ends a streamed command when the receiver fails', async () => {
      const time = `3600.${process.pid}1`;
      const full = new Error('no space left');
      const streaming = (await open()).stream(target('big'), sh('echo x; exec sleep "$1"', time), {
        onStdout: () => Promise.reject(full),
        onStderr: () => undefined,
      });
      await expect(streaming).rejects.toBe(full);
      await until(() => !isRunning(`sleep ${time}`), 'the command is gone');
    });

    it('passes 1 MB of input to a command', async () => {
      const stdin = 'line of input\n'.repeat(75_000);
      expect((await (await open()).run(target('big'), ['cat'], { stdin })).stdout).toBe(stdin);
    });
  });

  describe('programs', () => {
    beforeAll(() => kubelets().addNodes([{ name: 'image' }]));

    it.each(['ps', 'awk', 'sysctl', 'tcpdump', 'ss'])(
      'reports 127 for %s, which the image of calico-node lacks',
      async (program) => {
        const { exit, stderr } = await (await open()).run(target('image'), [program]);
        expect({ exit, named: stderr.includes(program) }).toEqual({ exit: 127, named: true });
      },
    );

    it('returns 127 and the message of the runtime when the container has no shell', async () => {
      const bare = new Kubelets(server());
      try {
        await bare.start();
        await bare.addNodes([{ name: 'bare' }]);
        rmSync(join(bare.imageFolder, 'sh'));
        const exec = await open();
        const { exit, stderr } = await exec.run(target('bare'), ['ip', 'link']);
        expect({ exit, stderr }).toEqual({
          exit: 127,
          stderr: expect.stringContaining('"sh": executable file not found in $PATH'),
        });
        const [outcome] = await exec.runSteps(target('bare'), [{ argv: ['ip', 'link'] }]);
        expect(outcome?.kind === 'lost' && outcome.error.message).toContain('executable file not found');
      } finally {
        bare.stop();
      }
    });
  });

  describe('pods', () => {
    it('runs commands in the ready one of two pods, in any namespace', async () => {
      await kubelets().addNodes([{ name: 'moved', prefix: ['env', 'WHO=old'], ready: false }]);
      const ready = { name: 'moved', namespace: 'calico-system', pod: 'calico-node-new', prefix: ['env', 'WHO=new'] };
      await kubelets().addPods([ready]);
      const { stdout } = await (await open()).run(target('moved'), sh('printf %s "$WHO"'));
      expect(stdout).toBe('new');
    });

    it('finds the new pod when the known one was replaced', async () => {
      await kubelets().addNodes([{ name: 'renewed', pod: 'calico-node-1' }]);
      const exec = await open();
      expect((await exec.run(target('renewed'), ['printf', 'x'])).stdout).toBe('x');
      await server().admin.request('DELETE', '/api/v1/namespaces/kube-system/pods/calico-node-1', {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
      });
      await kubelets().addPods([{ name: 'renewed', pod: 'calico-node-2' }]);
      expect((await exec.run(target('renewed'), ['printf', 'y'])).stdout).toBe('y');
    });

    it('reports a node without a running calico-node pod, with the pods that it has', async () => {
      await kubelets().addNodes([{ name: 'waiting', phase: 'Pending' }]);
      const exec = await open();
      const none = await failureOf(exec.run(target('nowhere'), ['ip']));
      expect([none.reason, none.message]).toEqual(['unreachable', 'nowhere: no running calico-node pod']);
      const pending = await failureOf(exec.run(target('waiting'), ['ip']));
      expect([pending.reason, pending.message]).toEqual([
        'unreachable',
        'waiting: no running calico-node pod (kube-system/calico-node-waiting is Pending)',
      ]);
    });

    it.each([
      'a,metadata.name=calico-node-big',
      'a=b',
      'back\\slash',
      'x&limit=1&fieldSelector=',
      '../../../namespaces/kube-system/secrets',
      '?a#b',
      '%2e%2e%2f',
      'ü ',
      '\u0000',
      '',
    ])('finds no pod for node %j, alone and among many', async (name) => {
      const exec = await open();
      const alone = await failureOf(exec.run(target(name), ['ip']));
      expect([alone.reason, alone.message]).toEqual(['unreachable', `${name}: no running calico-node pod`]);
      const many = await open();
      const failures = await Promise.all(
        [name, 'b', 'c', 'd', 'e'].map((node) => failureOf(many.run(target(node), ['ip']))),
      );
      expect(failures.map(({ reason }) => reason)).toEqual(Array.from({ length: 5 }, () => 'unreachable'));
    });

    it('runs commands on 20 nodes at once, each in its own pod', async () => {
      const names = Array.from({ length: 20 }, (_, i) => `node-${i}`);
      await kubelets().addNodes(names.map((name) => ({ name, prefix: ['env', `WHO=${name}`] })));
      const exec = await open();
      const results = await Promise.all(names.map((name) => exec.run(target(name), sh('printf %s "$WHO"'))));
      expect(results.map(({ stdout }) => stdout)).toEqual(names);
    });
  });

  describe('permissions', () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'pod-lister' } };
    const subject = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'lister' };
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'pod-lister' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'pod-lister' },
      subjects: [subject],
    };
    beforeAll(async () => {
      await kubelets().addNodes([{ name: 'guarded' }]);
      await server().admin.load([
        { ...role, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] },
        binding,
      ]);
    });
    afterAll(async () => {
      for (const kind of ['clusterroles', 'clusterrolebindings']) {
        await server().admin.request('DELETE', `/apis/rbac.authorization.k8s.io/v1/${kind}/pod-lister`);
      }
    });

    it('reports a missing permission to list pods', async () => {
      const error = await failureOf((await open({ k8sCurrentContext: 'nobody' })).run(target('guarded'), ['ip']));
      expect(error.reason).toBe('unauthorized');
      expect(error.message).toContain('missing permission to list pods in all namespaces');
      expect(error.hint).toContain('calictl-reader');
    });

    it('reports a missing permission to exec', async () => {
      const exec = await open(inlineKubeconfig(server(), 'token: admin-token, as: lister'));
      const error = await failureOf(exec.run(target('guarded'), ['ip']));
      expect(error.reason).toBe('unauthorized');
      expect(error.message).toMatch(/missing permission to \w+ pods\/exec in namespace kube-system$/);
      const [outcome] = await exec.runSteps(target('guarded'), [{ argv: ['ip'] }]);
      expect(outcome?.kind === 'lost' && outcome.error.reason).toBe('unauthorized');
    });

    it('reports credentials that the API server does not accept', async () => {
      const error = await failureOf(
        (await open({ k8sAPIToken: 'wrong', k8sCurrentContext: 'token' })).run(target('guarded'), ['ip']),
      );
      expect(error.reason).toBe('unauthorized');
      expect(error.message).toContain('does not accept the credentials');
    });

    it('passes on impersonated groups', async () => {
      const exec = await open(
        inlineKubeconfig(server(), 'token: admin-token, as: somebody, as-groups: ["system:masters"]'),
      );
      expect((await exec.run(target('guarded'), ['printf', 'in'])).stdout).toBe('in');
    });
  });
});
