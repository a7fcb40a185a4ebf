// The program under the names of the CNI plugins.
import { expect, it } from 'vitest';
import { runAsPlugin } from '../../src/cli/cni.ts';
import { testWorld } from '../support/program/world.ts';

it('called as calico, the program is the plugin with the versions of Calico', async () => {
  const world = testWorld({ programName: 'calico', env: { CNI_COMMAND: 'VERSION' } });
  expect(await runAsPlugin('calico', [], world)).toBe(0);
  expect(world.io.stdout.text).toBe(
    '{"cniVersion":"1.1.0","supportedVersions":["0.1.0","0.2.0","0.3.0","0.3.1","0.4.0","1.0.0"]}\n',
  );
});

it('called as calico-ipam with -v, it prints the release that it follows', async () => {
  const world = testWorld({ programName: 'calico-ipam' });
  expect(await runAsPlugin('calico-ipam', ['-v'], world)).toBe(0);
  expect(world.io.stdout.text).toBe('v3.31.4\n');
});
