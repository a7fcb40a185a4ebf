// A command line as a whole: streams, exit codes, where the datastore is.
import { describe, expect, it } from 'vitest';
import { run } from '../support/program/world.ts';

const pool = {
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPPool',
  metadata: { name: 'pool-1' },
  spec: { cidr: '10.60.0.0/16', nodeSelector: 'all()' },
};

describe('runCli', () => {
  it('says the three ways to start in four lines when nothing is configured', async () => {
    const { code, stdout, stderr } = await run('get nodes');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    for (const way of ['--datastore', '--kubeconfig', '--config']) expect(stderr).toContain(way);
  });

  it('says that there is no etcd store', async () => {
    const { code, stderr } = await run('get nodes --datastore etcdv3');
    expect(code).toBe(1);
    expect(stderr).toContain('no etcd store');
  });

  it('says which folder is not there', async () => {
    const { code, stderr } = await run('get nodes --datastore /nonexistent/dump');
    expect(code).not.toBe(0);
    expect(stderr).toContain('/nonexistent/dump');
    expect(stderr).not.toContain('unexpected');
  });

  it('takes --datastore before and after the command', async () => {
    // The flag wins over the environment, which names a folder that is there.
    const lines = ['--datastore WHERE get ippool', 'get --datastore WHERE ippool', 'get ippool --datastore=WHERE'];
    for (const line of lines) {
      const { code, stdout } = await run(line.replace('WHERE', '/nonexistent/dump'), { objects: [pool] });
      expect({ failed: code !== 0, stdout }).toEqual({ failed: true, stdout: '' });
    }
  });

  it('prints wrong usage on stderr only', async () => {
    for (const line of ['gett', 'get', 'ipam', 'ipam sho', 'get ippool --bogus', '--bogus']) {
      const { code, stdout, stderr } = await run(line);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).not.toBe('');
    }
  });

  it('ends with 130 when it was interrupted', async () => {
    const signal = AbortSignal.abort();
    expect(await run('get ippool', { objects: [pool], signal })).toMatchObject({ code: 130 });
  });

  it('colours for nobody but a terminal', async () => {
    for (const terminal of [false, true]) {
      const { stdout } = await run('ipam check --no-color', { objects: [pool], terminal });
      expect(stdout).not.toContain('\u001b');
    }
    const { stdout } = await run('ipam check', { objects: [pool], terminal: false });
    expect(stdout).not.toContain('\u001b');
  });
});
