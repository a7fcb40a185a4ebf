// Programs in ephemeral containers: requests to a real API server, and the attached program, run by the stand-in for
// kubelets. The suite itself plays the part of a kubelet that pulls images and starts containers.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { isRunning } from '../../support/program/processes.ts';
import { until } from '../../support/program/until.ts';
import { run } from '../../support/program/world.ts';
import { failureOf, kubeExecOpener, sh } from '../../support/servers/kube-exec.ts';
import { describeWithKubelets } from '../../support/servers/kubelet.ts';

describeWithKubelets('ephemeral containers', (server, kubelets) => {
  const open = kubeExecOpener(server);
  const pod = { namespace: 'kube-system', name: 'calico-node-a' };
  const image = 'example.test/tools:1';
  const nowhere = { onStdout: () => undefined, onStderr: () => undefined };
  beforeAll(() => kubelets().addNodes([{ name: 'a' }]));

  it('runs a program in an ephemeral container: both streams and the exit code', async () => {
    const exec = await open();
    const seen = { out: '', err: '' };
    const streaming = exec.streamInEphemeralContainer?.(
      pod,
      image,
      sh('printf "%s" "$1"; printf err >&2; exit 5', "it's $HOME"),
      {
        onStdout: (bytes) => {
          seen.out += Buffer.from(bytes).toString();
        },
        onStderr: (bytes) => {
          seen.err += Buffer.from(bytes).toString();
        },
      },
    );
    const container = await kubelets().startEphemeral(pod.namespace, pod.name);
    expect(container).toMatchObject({
      image,
      stdin: true,
      stdinOnce: true,
      securityContext: { capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } },
    });
    expect(container.name).toMatch(/^calictl-[0-9a-f]{10}$/);
    expect(await streaming).toBe(5);
    expect(seen).toEqual({ out: "it's $HOME", err: 'err' });
  });

  it('ends the program of an ephemeral container when aborted, and passes on its last output', async () => {
    const exec = await open();
    const stop = new AbortController();
    let out = '';
    const unlike = `program-of-${process.pid}`;
    const script = 'trap "printf last; exit 7" INT; printf first; while :; do sleep 0.05; done';
    const streaming = exec.streamInEphemeralContainer?.(pod, image, sh(script, unlike), {
      ...nowhere,
      signal: stop.signal,
      onStdout: (bytes) => {
        out += Buffer.from(bytes).toString();
      },
    });
    await kubelets().startEphemeral(pod.namespace, pod.name);
    await until(() => out === 'first', 'the program runs');
    stop.abort();
    expect(await streaming).toBe(7);
    expect(out).toBe('firstlast');
    await until(() => !isRunning(unlike), 'the program is gone');
  });

  it('stops waiting for an ephemeral container when aborted', async () => {
    const exec = await open();
    const stop = new AbortController();
    const failing = failureOf(
      exec.streamInEphemeralContainer?.(pod, image, ['true'], { ...nowhere, signal: stop.signal }) as Promise<number>,
    );
    const { name } = await kubelets().startEphemeral(pod.namespace, pod.name, { waiting: { reason: 'Pulling' } });
    stop.abort();
    expect((await failing).reason).toBe('cancelled');
    expect(isRunning(name)).toBe(false);
  });

  it.each([
    [{ waiting: { reason: 'ErrImagePull', message: 'no such image' } }, 'ErrImagePull no such image'],
    [{ waiting: { reason: 'ImagePullBackOff' } }, 'ImagePullBackOff'],
    [{ waiting: { reason: 'CreateContainerConfigError' } }, 'CreateContainerConfigError'],
    [{ terminated: { reason: 'StartError', exitCode: 128, message: 'sh: not found' } }, 'StartError sh: not found'],
  ])('reports why an ephemeral container does not run: %j', async (state, text) => {
    const exec = await open();
    const failing = failureOf(exec.streamInEphemeralContainer?.(pod, image, ['true'], nowhere) as Promise<number>);
    await kubelets().startEphemeral(pod.namespace, pod.name, state);
    const error = await failing;
    expect([error.reason, error.message]).toEqual([
      'unreachable',
      `pod kube-system/calico-node-a: the ephemeral container does not run: ${text}`,
    ]);
  });

  it('reports a missing permission to add an ephemeral container, and a pod that does not exist', async () => {
    const nobody = await open({ k8sCurrentContext: 'nobody' });
    const refused = await failureOf(
      nobody.streamInEphemeralContainer?.(pod, image, ['true'], nowhere) as Promise<number>,
    );
    expect(refused.reason).toBe('unauthorized');
    expect(refused.message).toContain('missing permission to patch pods/ephemeralcontainers in namespace kube-system');
    const gone = { namespace: 'kube-system', name: '../x?y' };
    const none = await failureOf(
      (await open()).streamInEphemeralContainer?.(gone, image, ['true'], nowhere) as Promise<number>,
    );
    expect([none.reason, none.message]).toEqual(['unreachable', expect.stringContaining('status 404')]);
  });

  it('runs tcpdump for node capture --image in an ephemeral container', async () => {
    writeFileSync(join(kubelets().imageFolder, 'tcpdump'), '#!/bin/sh\nprintf "%s " "$@"\n', { mode: 0o755 });
    const env = { KUBECONFIG: server().kubeconfig };
    const line = `node capture kube-system/calico-node-a --image ${image}`;
    const capturing = run(`${line} -c 3 -- tcp port 179`, { env });
    await kubelets().startEphemeral(pod.namespace, pod.name);
    const { code, stdout } = await capturing;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '-i eth0 -n -U -l -c 3 -- tcp port 179 ' });
    expect((await run(`node capture a --image ${image}`, { env })).code).toBe(2);
    expect((await run(`${line} --via local`, { env })).stderr).toContain('--image requires --via kube');
  });
});
