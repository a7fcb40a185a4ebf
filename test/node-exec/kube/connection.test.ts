// The connection of an exec: proxies, credential plugins, older servers, and how a connection can fail.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConnectionSettings } from '../../../src/connect/settings.ts';
import { isRunning } from '../../support/program/processes.ts';
import { until } from '../../support/program/until.ts';
import { failureOf, inlineKubeconfig, kubeExecOpener, sh, target } from '../../support/servers/kube-exec.ts';
import { describeWithKubelets, Kubelets } from '../../support/servers/kubelet.ts';
import { RecordingProxy } from '../../support/servers/recording-proxy.ts';

describeWithKubelets('connections to the API server', (server, kubelets) => {
  const open = kubeExecOpener(server);

  describe('opening', () => {
    beforeAll(() => kubelets().addNodes([{ name: 'away' }]));

    it('connects through the proxy of the kubeconfig', async () => {
      const asked: string[] = [];
      const proxy = createHttpServer().on('connect', ({ url }, socket) => {
        asked.push(url ?? '');
        const { hostname, port } = new URL(`http://${url}`);
        const onward = connect(Number(port), hostname, () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          onward.pipe(socket).pipe(onward);
        });
        for (const end of [onward, socket]) end.on('error', () => undefined);
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const { port } = proxy.address() as { port: number };
      const exec = await open(
        inlineKubeconfig(server(), 'token: admin-token', `, proxy-url: "http://127.0.0.1:${port}"`),
      );
      expect((await exec.run(target('away'), ['printf', 'through'])).stdout).toBe('through');
      await exec.close();
      proxy.close();
      // Once for the list of pods, once for the WebSocket.
      expect(asked.length).toBeGreaterThan(0);
      expect(new Set(asked)).toEqual(new Set([new URL(server().url).host]));
    });

    it('runs a credential plugin again when its token is no longer accepted', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'calictl-plugin-'));
      const script = 'printf x >>"$1/asked"; token=admin-token; [ -e "$1/good" ] || token=stale; >"$1/good"';
      const answer = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}';
      const args = ['-c', `${script}; printf '${answer}' "$token"`, 'sh', folder];
      const plugin = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args, interactiveMode: 'Never' };
      const exec = await open(inlineKubeconfig(server(), `exec: ${JSON.stringify(plugin)}`));
      expect((await exec.run(target('away'), ['printf', 'again'])).stdout).toBe('again');
      expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('xx');
      rmSync(folder, { recursive: true });
    });
  });

  describe('servers before Kubernetes 1.30, which cannot end the input of a command', () => {
    let endpoint: ConnectionSettings;
    let proxy: RecordingProxy;
    beforeAll(async () => {
      await kubelets().addNodes([{ name: 'older' }]);
      proxy = new RecordingProxy(server(), 'token-admin', {
        'impersonate-group': 'system:masters',
        'sec-websocket-protocol': 'v4.channel.k8s.io',
      });
      endpoint = { kubeconfig: '', k8sAPIEndpoint: await proxy.start() };
    });
    afterAll(() => proxy.stop());

    it('runs commands and steps through a server before Kubernetes 1.30', async () => {
      const exec = await open(endpoint);
      const { exit, stdout } = await exec.run(target('older'), sh('printf out; exit 4'));
      expect({ exit, stdout }).toEqual({ exit: 4, stdout: 'out' });
      const [outcome] = await exec.runSteps(target('older'), [{ argv: ['printf', 'step'] }]);
      expect(outcome?.kind === 'ran' && outcome.result.stdout).toBe('step');
    });

    it('refuses to send input through a server before Kubernetes 1.30', async () => {
      const error = await failureOf((await open(endpoint)).run(target('older'), ['cat'], { stdin: 'x' }));
      expect([error.reason, error.hint]).toEqual(['unreachable', expect.stringContaining('1.30')]);
    });

    it('ends a streamed command through a server before Kubernetes 1.30', async () => {
      const time = `3600.${process.pid}2`;
      const stop = new AbortController();
      const streaming = failureOf(
        (await open(endpoint)).stream(target('older'), ['sleep', time], {
          signal: stop.signal,
          onStdout: () => undefined,
          onStderr: () => undefined,
        }),
      );
      await until(() => isRunning(`sleep ${time}`), 'the command runs');
      stop.abort();
      expect((await streaming).reason).toBe('cancelled');
      await until(() => !isRunning(`sleep ${time}`), 'the command is gone');
    });
  });

  describe('broken connections', () => {
    let others: Kubelets;
    beforeAll(async () => {
      others = new Kubelets(server());
      await others.start();
      await others.addNodes([{ name: 'dying' }]);
    });
    afterAll(() => others.stop());

    // The API server reports success in this case.
    it('reports a broken connection when the kubelet dies, and an unreachable node afterwards', async () => {
      const exec = await open();
      const [first, second, third] = [1, 2, 3].map((i) => `3600.${process.pid}0${i}`);
      const ran = failureOf(exec.run(target('dying'), ['sleep', `${first}`]));
      const stepped = exec.runSteps(target('dying'), [{ argv: ['printf', 'done'] }, { argv: ['sleep', `${second}`] }]);
      const streamed = failureOf(
        exec.stream(target('dying'), ['sleep', `${third}`], { onStdout: () => undefined, onStderr: () => undefined }),
      );
      for (const time of [first, second, third]) await until(() => isRunning(`sleep ${time}`), 'the commands run');
      others.stop();
      expect((await ran).reason).toBe('broken');
      expect((await streamed).reason).toBe('broken');
      const last = (await stepped).at(-1);
      expect(last?.kind === 'lost' && last.error.reason).toBe('broken');

      const after = await failureOf(exec.run(target('dying'), ['ip']));
      expect(after.reason).toBe('unreachable');
      expect(after.message).toContain('connection refused');
      for (const time of [first, second, third])
        await until(() => !isRunning(`sleep ${time}`), 'the commands are gone');
    });

    it('detects a connection that went silent', async () => {
      await kubelets().addNodes([{ name: 'silent' }]);
      const proxy = new RecordingProxy(server(), 'token-admin', { 'impersonate-group': 'system:masters' });
      const exec = await open({ kubeconfig: '', k8sAPIEndpoint: await proxy.start() }, { pingEveryMs: 50 });
      const streaming = failureOf(
        exec.stream(target('silent'), sh('echo on; exec sleep "$1"', `3600.${process.pid}3`), {
          onStdout: () => proxy.freeze(),
          onStderr: () => undefined,
        }),
      );
      expect((await streaming).reason).toBe('broken');
      proxy.stop();
    });

    it('retries when the API server is busy, and says what it waits for', async () => {
      let asked = 0;
      const announced: (string | undefined)[] = [];
      const busy = createHttpServer((_, answer) => {
        asked += 1;
        answer.writeHead(asked < 3 ? 429 : 200, { 'retry-after': '0' }).end('{"items":[],"metadata":{}}');
      });
      await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
      const { port } = busy.address() as { port: number };
      const exec = await open(
        { kubeconfig: '', k8sAPIEndpoint: `http://127.0.0.1:${port}` },
        { waiting: (what) => announced.push(what) },
      );
      expect((await failureOf(exec.run(target('a'), ['ip']))).message).toContain('no running calico-node pod');
      expect(asked).toBe(3);
      expect(announced).toEqual([
        'the API server is busy: try 1 of 4 in 1 s',
        undefined,
        'the API server is busy: try 2 of 4 in 1 s',
        undefined,
      ]);
      busy.closeAllConnections();
      busy.close();
    });

    it('gives up at the deadline when the API server does not reply', async () => {
      const silent = createServer();
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as { port: number };
      const exec = await open({ kubeconfig: '', k8sAPIEndpoint: `http://127.0.0.1:${port}` });
      const error = await failureOf(exec.run(target('a'), ['ip'], { timeoutMs: 200 }));
      expect(error.reason).toBe('timeout');
      const stop = new AbortController();
      const running = failureOf(exec.run(target('b'), ['ip'], { signal: stop.signal }));
      stop.abort();
      expect((await running).reason).toBe('cancelled');
      silent.close();
    });

    it('reports an unreachable node when the API server is not listening', async () => {
      const exec = await open({ kubeconfig: '', k8sAPIEndpoint: 'http://127.0.0.1:1' });
      const error = await failureOf(exec.run(target('a'), ['ip']));
      expect([error.reason, error.message]).toEqual(['unreachable', expect.stringContaining('ECONNREFUSED')]);
    });
  });
});
