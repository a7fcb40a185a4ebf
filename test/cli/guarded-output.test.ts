// The last guard of both output streams: what a renderer forgot reaches no terminal, and bytes pass.
import { describe, expect, it } from 'vitest';
import { guardedWorld, ShownPaths } from '../../src/cli/guarded-output.ts';
import { testWorld } from '../support/program/world.ts';

const hostile = '\u001b]0;title\u0007\u009b2J\u202e';
const shown = '\\u001b]0;title\\u0007\\u009b2J\\u202e';

async function written(options: { terminal: boolean; asCalicoctl: boolean }, text: string | Uint8Array) {
  const world = testWorld({ terminal: options.terminal });
  const { stdout, stderr } = guardedWorld(world, options.asCalicoctl).io;
  await stdout.write(text);
  await stderr.write(text);
  return [world.io.stdout.text, world.io.stderr.text];
}

describe('guarded output', () => {
  it.each([true, false])('calictl writes no raw control character, terminal: %s', async (terminal) => {
    expect(await written({ terminal, asCalicoctl: false }, hostile)).toEqual([shown, shown]);
  });

  it("as calicoctl, documents keep calicoctl's bytes off a terminal, and errors are shown", async () => {
    expect(await written({ terminal: false, asCalicoctl: true }, hostile)).toEqual([hostile, shown]);
    expect(await written({ terminal: true, asCalicoctl: true }, hostile)).toEqual([shown, shown]);
  });

  it('colours pass on a terminal only', async () => {
    const red = '\u001b[31mred\u001b[39m';
    expect(await written({ terminal: true, asCalicoctl: false }, red)).toEqual([red, red]);
    expect((await written({ terminal: false, asCalicoctl: false }, red))[0]).not.toContain('\u001b');
  });

  it('a temporary directory is shown as the bundle that was unpacked there', async () => {
    const world = testWorld();
    const paths = new ShownPaths();
    const { stderr } = guardedWorld(world, false, paths).io;
    paths.add('/tmp/calictl-bundle-1/bundle', '/home/me/$&.tgz');
    await stderr.write('cannot read /tmp/calictl-bundle-1/bundle/a.yaml and /tmp/calictl-bundle-1/bundle\n');
    expect(world.io.stderr.text).toBe('cannot read /home/me/$&.tgz/a.yaml and /home/me/$&.tgz\n');
  });

  it('bytes are passed on as they are', async () => {
    const bytes = new TextEncoder().encode(hostile);
    expect(await written({ terminal: true, asCalicoctl: false }, bytes)).toEqual([hostile, hostile]);
  });

  it('standard input is not opened before it is read', () => {
    const world = testWorld();
    let opened = 0;
    const io = {
      ...world.io,
      get stdin() {
        opened++;
        return world.io.stdin;
      },
    };
    const guarded = guardedWorld({ ...world, io }, false);
    expect(opened).toBe(0);
    expect(guarded.io.stdin).toBe(world.io.stdin);
  });
});
