// A command line as a whole: streams, exit codes, where the datastore is.
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { folderOf, run } from '../support/program/world.ts';

const pool = {
  apiVersion: 'crd.projectcalico.org/v1',
  kind: 'IPPool',
  metadata: { name: 'pool-1' },
  spec: { cidr: '10.60.0.0/16', nodeSelector: 'all()' },
};

describe('runCli', () => {
  it('without any configuration, the three ways to start are shown in four lines', async () => {
    const { code, stdout, stderr } = await run('get nodes');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    for (const way of ['--datastore', '--kubeconfig', '--config']) expect(stderr).toContain(way);
  });

  it('etcd is reported as not supported', async () => {
    const { code, stderr } = await run('get nodes --datastore etcdv3');
    expect(code).toBe(1);
    expect(stderr).toContain('does not support the etcd datastore');
  });

  it('a missing datastore directory is named', async () => {
    const { code, stdout, stderr } = await run('get nodes --datastore /nonexistent/dump');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^calictl: directory \/nonexistent\/dump does not exist \(FOLDER_MISSING\)\nhint: .+\n$/);
  });

  it('--datastore is accepted before and after the command, and wins over the environment', async () => {
    const folder = folderOf([pool]);
    const lines = ['--datastore WHERE get ippool', 'get --datastore WHERE ippool', 'get ippool --datastore=WHERE'];
    const table = 'NAME     CIDR           SELECTOR   \npool-1   10.60.0.0/16   all()      \n\n';
    try {
      for (const line of lines) {
        const { code, stdout, stderr } = await run(line.replace('WHERE', folder), {
          env: { DATASTORE_TYPE: '/nonexistent/dump' },
        });
        expect({ line, code, stdout, stderr }).toEqual({ line, code: 0, stdout: table, stderr: '' });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['gett', "calictl: unknown command 'gett'\nhint: Did you mean get? Otherwise run 'calictl --help'.\n"],
    ['get', 'calictl: nothing to get\nhint: Specify a KIND, e.g. ippools, or a manifest with -f.\n'],
    ['ipam sho', "calictl: unknown command 'sho'\nhint: Did you mean show? Otherwise run 'calictl ipam --help'.\n"],
    ['get ippool --bogus', "calictl: unknown option '--bogus'\nhint: Run 'calictl get --help'.\n"],
    ['--bogus', "calictl: unknown option '--bogus'\nhint: Run 'calictl --help'.\n"],
  ])('the wrong usage `%s` is explained on stderr only, with exit code 2', async (line, error) => {
    const { code, stdout, stderr } = await run(line);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: error });
  });

  it('a group without a command prints its help on stderr and exits 2', async () => {
    const { code, stdout, stderr } = await run('ipam');
    const help = await run('ipam --help');
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: help.stdout });
    expect(help.stdout).toMatch(/^Usage: calictl ipam /);
  });

  it('an interrupted command exits 130', async () => {
    const signal = AbortSignal.abort();
    expect(await run('get ippool', { objects: [pool], signal })).toMatchObject({ code: 130 });
  });

  it('output is coloured on a terminal only, and not with --no-color', async () => {
    const overlapping = { ...pool, metadata: { name: 'pool-2' } };
    const isColoured = async (line: string, terminal: boolean): Promise<boolean> => {
      const { code, stdout } = await run(line, { objects: [pool, overlapping], terminal });
      expect(code).toBe(3);
      return stdout.includes('\u001b[');
    };
    expect(await isColoured('ipam check', true)).toBe(true);
    expect(await isColoured('ipam check', false)).toBe(false);
    expect(await isColoured('ipam check --no-color', true)).toBe(false);
    expect(await isColoured('ipam check --no-color', false)).toBe(false);
  });
});
