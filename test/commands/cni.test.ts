// calictl cni as a command line: what it supports, and errors of the CNI specification as its answer.
import { describe, expect, it } from 'vitest';
import { run } from '../support/program/world.ts';

describe('calictl cni', () => {
  it('without CNI_COMMAND prints what it supports', async () => {
    const { code, stdout, stderr } = await run('cni');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('CNI protocol versions supported: 0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0\n');
  });

  it('answers VERSION with all versions of the specification', async () => {
    const { code, stdout } = await run('cni', { env: { CNI_COMMAND: 'VERSION' } });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).supportedVersions.at(-1)).toBe('1.1.0');
  });

  it('prints an error of the specification to standard output, and exits with 1', async () => {
    const env = { CNI_COMMAND: 'STATUS', CNI_PATH: '/opt/cni/bin' };
    const stdin = '{"cniVersion":"1.0.0","name":"k8s-pod-network"}';
    const { code, stdout, stderr } = await run('cni', { env, stdin });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ code: 1, msg: 'config version does not allow STATUS' });
  });
});
