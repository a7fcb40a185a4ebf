// calictl node checksystem on this machine. What it prints as calicoctl is compared with the reference program.
import { expect, it } from 'vitest';
import { run } from '../../support/program/world.ts';

it('node checksystem reports a kernel configuration that cannot be read', async () => {
  const { code, stdout, stderr } = await run(['node', 'checksystem', '-f', '/nonexistent/config']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^calictl: \/nonexistent\/config cannot be read: .+ \(KERNEL_CONFIG\)\n$/);
});

it('node checksystem shows each module as JSON, and exits 3 when something is missing', async () => {
  const { code, stdout } = await run('node checksystem -o json');
  const { ok, modules } = JSON.parse(stdout) as { ok: boolean; modules: { name: string; ok: boolean }[] };
  expect(code).toBe(ok ? 0 : 3);
  expect(modules.map(({ name }) => name)).toContain('ip_set');
});
