// Another IPAM plugin: what it is given.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { delegate } from '../../../src/cni/plugin/delegate.ts';
import { podArgsOf } from '../../../src/cni/protocol/pod-args.ts';
import { pluginContext } from '../../support/lab/plugin-context.ts';
import { testFolder } from '../../support/program/test-folder.ts';
import { testWorld } from '../../support/program/world.ts';

const files = testFolder();
afterAll(() => files.remove());

describe('CNI_ARGS of another IPAM plugin', () => {
  async function argsFor(args: string): Promise<string> {
    files.write('writes-args', `#!/bin/sh\nprintf %s "$CNI_ARGS" > ${join(files.path, 'args')}\n`);
    chmodSync(join(files.path, 'writes-args'), 0o755);
    const setup = { request: { args, path: [files.path] }, conf: { ipam: { type: 'writes-args' } } };
    await delegate(await pluginContext(testWorld(), setup), 'DEL', {});
    return files.read('args');
  }

  it('are the given ones after the word that makes plugins ignore unknown ones', async () => {
    expect(await argsFor('K8S_POD_NAME=web')).toBe('IgnoreUnknown=1;K8S_POD_NAME=web');
  });

  it('have no empty pair at their end when none are given, which plugins refuse', async () => {
    const args = await argsFor('');
    expect(args).toBe('IgnoreUnknown=1');
    expect(() => podArgsOf(args)).not.toThrow();
  });
});
