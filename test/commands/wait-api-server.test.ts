// wait on a real API server: it reads once, then watches, and asks for nothing else until something happens.
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type Ran, run, TestClock } from '../support/program/world.ts';
import { type ApiServer, describeWithApiServer } from '../support/servers/api-server.ts';
import { RecordingProxy } from '../support/servers/recording-proxy.ts';

/** The clock of this machine. */
class RealClock extends TestClock {
  constructor() {
    super(new Date());
  }

  override now(): Date {
    return new Date();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  }
}

const pool = (spec = ''): string =>
  `apiVersion: projectcalico.org/v3\nkind: IPPool\nmetadata: {name: pool-1}\nspec: {cidr: 10.1.0.0/16${spec}}\n`;

describeWithApiServer('wait on a cluster', (server: () => ApiServer) => {
  const proxies: RecordingProxy[] = [];
  afterAll(() => {
    for (const proxy of proxies) proxy.stop();
  });
  beforeEach(() => server().admin.reset());
  const calictl = (line: string, stdin = ''): Promise<Ran> =>
    run(line, { env: { KUBECONFIG: server().kubeconfig }, stdin, clock: new RealClock() });

  /** Waits through a proxy; `change` happens once the watch is open. Returns what was asked after that, too. */
  async function waiting(line: string, change: () => Promise<unknown>): Promise<Ran & { readonly asked: string[] }> {
    const proxy = new RecordingProxy(server(), 'admin', { 'impersonate-group': 'system:masters' });
    proxies.push(proxy);
    const env = { K8S_API_ENDPOINT: await proxy.start() };
    const result = run(`wait ${line}`, { env, clock: new RealClock() });
    await expect.poll(() => proxy.asked.some(({ verb }) => verb === 'watch'), { timeout: 20_000 }).toBe(true);
    const before = proxy.asked.length;
    await change();
    const ran = await result;
    return { ...ran, asked: proxy.asked.slice(before).map(({ verb, resource }) => `${verb} ${resource}`) };
  }

  it('--for=jsonpath ends with the change, without another request', async () => {
    await calictl('apply -f -', pool());
    const ran = await waiting('ippool pool-1 --for=jsonpath={.spec.disabled}=true', () =>
      calictl('apply -f -', pool(', disabled: true')),
    );
    expect(ran).toMatchObject({ code: 0, stdout: 'ippool/pool-1 condition met\n', stderr: '', asked: [] });
  });

  it('--for=create ends when the object is created', async () => {
    const ran = await waiting('ippool pool-1 --for=create', () => calictl('create -f -', pool()));
    expect(ran).toMatchObject({ code: 0, stdout: 'ippool/pool-1 condition met\n', stderr: '', asked: [] });
  });

  it('--for=delete ends when the object is deleted', async () => {
    await calictl('apply -f -', pool());
    const ran = await waiting('ippools --all --for=delete', () => calictl('delete ippool pool-1 --yes'));
    expect(ran).toMatchObject({ code: 0, stdout: 'ippool/pool-1 condition met\n', stderr: '', asked: [] });
  });

  it('--timeout ends the watch', async () => {
    await calictl('apply -f -', pool());
    const began = performance.now();
    const { code, stderr } = await calictl('wait ippool pool-1 --for=delete --timeout=1s');
    expect(code).toBe(1);
    expect(stderr).toContain('timed out after 1s waiting for delete of IPPool pool-1');
    expect(performance.now() - began).toBeGreaterThan(900);
  });
});
