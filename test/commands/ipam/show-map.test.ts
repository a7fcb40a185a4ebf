// calictl ipam show --map: which blocks its flags choose, its formats, and what goes with it and what does not.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addressStates } from '../../../src/ipam/show/address-map.ts';
import { exampleFolder } from '../../support/clusters/example-cluster.ts';
import { blocks, pools, reservations } from '../../support/clusters/map-blocks.ts';
import { readMarkup } from '../../support/program/well-formed.ts';
import { type Ran, type RunOptions, run } from '../../support/program/world.ts';

const objects = [...pools, ...blocks, ...reservations];
const map = (flags: string, options: RunOptions = {}): Promise<Ran> =>
  run(`ipam show --map ${flags}`, { objects, ...options });
const cidrs = async (flags: string): Promise<string[]> => {
  const { code, stdout, stderr } = await map(`${flags} -o json`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { blocks: { cidr: string }[] }).blocks.map(({ cidr }) => cidr);
};

describe('ipam show --map', () => {
  it('show --map draws every block of a cluster', async () => {
    const { code, stdout, stderr } = await map('');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('10.60.0.0/28   t#b?~.......rr..  5/16  node-a, 1 borrowed by node-b\n');
    expect(stdout).toContain('no pool  blocks outside every pool\n10.99.0.0/30  b...');
  });

  it('show --map selects blocks by pool, node, address and pod', async () => {
    expect(await cidrs('')).toEqual(['10.60.0.0/28', '10.60.0.16/28', '192.0.2.0/29', '10.99.0.0/30']);
    expect(await cidrs('--pool services')).toEqual(['192.0.2.0/29']);
    expect(await cidrs('--pool 192.0.2.0/28 --pool main')).toEqual(['10.60.0.0/28', '10.60.0.16/28', '192.0.2.0/29']);
    expect(await cidrs('--node node-a')).toEqual(['10.60.0.0/28']);
    expect(await cidrs('--ip 10.60.0.20 --ip 10.99.0.3')).toEqual(['10.60.0.16/28', '10.99.0.0/30']);
    expect(await cidrs('--pod shop/far-0')).toEqual(['10.99.0.0/30']);
    const elsewhere = await map('--pod shop/far-0 --pool main -o json');
    expect(elsewhere).toMatchObject({ code: 0, stderr: 'No blocks found for pod shop/far-0 and pool main.\n' });
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({ blocks: [] });
  });

  it('show --map is coloured on a terminal only, and not with --no-color', async () => {
    const esc = '\u001b[';
    expect((await map('')).stdout).not.toContain(esc);
    expect((await map('', { terminal: true })).stdout).toContain(esc);
    expect((await map('--no-color', { terminal: true })).stdout).not.toContain(esc);
  });

  it('show --map wraps at the width of the terminal, and nowhere else', async () => {
    const example = (terminal: boolean): Promise<Ran> =>
      run('ipam show --map --no-color', { folder: exampleFolder, terminal, columns: 80 });
    const [wrapped, whole] = await Promise.all([example(true), example(false)]);
    expect(wrapped.stdout).toMatch(/^10\.61\.4\.32 {2,}\.{32}$/m);
    expect(whole.stdout).toMatch(/^10\.61\.4\.0\/24 +[#.]{256} {2}/m);
  });

  it('the map on docs/commands/ipam-show.md is what the command prints', async () => {
    const page = readFileSync(new URL('../../../docs/commands/ipam-show.md', import.meta.url), 'utf8');
    const { stdout } = await run('ipam show --map --pool default-pool', { folder: exampleFolder });
    expect(page).toContain(`$ calictl ipam show --map --pool default-pool\n${stdout}\`\`\`\n`);
    for (const { glyph, about } of Object.values(addressStates))
      expect(page).toContain(`| \`${glyph}\` | ${about} |\n`);
  });

  it.each(['svg', 'html'])('show --map -o %s makes a picture', async (format) => {
    const { code, stdout, stderr } = await map(`-o ${format}`, { terminal: true });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(readMarkup(stdout).tags.filter((tag) => tag.startsWith('rect')).length).toBeGreaterThan(44);
  });

  it.each(['svg', 'html'])('-o %s is refused without --map', async (format) => {
    const { code, stdout, stderr } = await run(`ipam show -o ${format}`, { objects });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`-o ${format} requires --map`);
    expect(stderr).toContain('Add --map.');
  });

  it.each([
    ['--show-blocks', '--map and --show-blocks cannot be used together'],
    ['--show-configuration', '--map and --show-configuration cannot be used together'],
    ['--node=', '--node is empty'],
    ['--pod cart', 'invalid pod for --pod: cart'],
    ['--ip 10.60.0.300', '10.60.0.300'],
  ])('show --map refuses %s', async (flags, text) => {
    const { code, stderr } = await map(flags);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });

  it('--pod is refused without --map, and an unknown pool is refused', async () => {
    const without = await run('ipam show --pool main', { objects });
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--pool requires --map')]);
    const unknown = await map('--pool nowhere');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('pool nowhere does not exist')]);
  });

  it('show --map reports on stderr, on a terminal and elsewhere, that there are no blocks', async () => {
    for (const terminal of [true, false]) {
      const { code, stderr } = await run('ipam show --map', { objects: pools, terminal });
      expect({ code, stderr }).toEqual({ code: 0, stderr: 'No blocks found.\n' });
    }
  });

  it('calicoctl has no --map', async () => {
    const { code, stdout } = await map('', { programName: 'calicoctl' });
    expect(code).toBe(1);
    expect(stdout).not.toContain('10.60.0.0/28');
  });
});
