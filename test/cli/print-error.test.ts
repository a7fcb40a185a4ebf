// Errors as texts and exit codes.
import { describe, expect, it } from 'vitest';
import { calicoctlExit, printCalicoctlError } from '../../src/cli/calicoctl/errors.ts';
import { printError } from '../../src/cli/print-error.ts';
import { DatastoreError } from '../../src/datastore/datastore.ts';
import { CalictlError, type ExitCode, RefusedError, UsageError } from '../../src/world/errors.ts';
import { testWorld } from '../support/program/world.ts';

async function printed(error: unknown, style: { compat?: boolean; debug?: boolean; signal?: AbortSignal } = {}) {
  const { compat = false, debug = false, signal } = style;
  const world = testWorld(signal === undefined ? {} : { signal });
  const code = await (compat ? printCalicoctlError(error, world) : printError(error, world, debug));
  return { code, stderr: world.io.stderr.text, stdout: world.io.stdout.text };
}

const conflict = new CalictlError('the block has changed', { code: 'IPAM_CONFLICT', hint: 'run it again' });

describe('printError', () => {
  it('an error prints one sentence with its code, and a hint', async () => {
    expect(await printed(conflict)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'calictl: the block has changed (IPAM_CONFLICT)\nhint: Run it again.\n',
    });
  });

  it.each([
    [new UsageError('no'), 2],
    [new RefusedError('no', 'NO'), 4],
    [new CalictlError('some', { code: 'SOME', exit: 5 }), 5],
  ])('%s has its exit code', async (error, code) => {
    expect(await printed(error)).toMatchObject({ code });
  });

  it('compat mode prints the plain text of an error and exits 1', async () => {
    expect(await printed(new RefusedError('not locked', 'X', 'lock it'), { compat: true })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'not locked\n',
    });
  });

  it("compat mode prints the server's own message", async () => {
    const error = new DatastoreError('unauthorized', 'the server refused', { storeText: 'ippools is forbidden' });
    expect((await printed(error, { compat: true })).stderr).toBe('connection is unauthorized: ippools is forbidden\n');
  });

  it('an unknown error shows its stack with --debug only', async () => {
    const quiet = await printed(new TypeError('x is not a function'));
    expect(quiet.code).toBe(1);
    expect(quiet.stderr).toContain('x is not a function');
    expect(quiet.stderr).toContain('report');
    expect(quiet.stderr).not.toMatch(/^ +at /m);
    expect((await printed(new TypeError('x'), { debug: true })).stderr).toMatch(/^ +at /m);
  });

  it('a failure of the operating system does not ask for a bug report', async () => {
    const error = Object.assign(new Error("EACCES: permission denied, open 'x'"), { code: 'EACCES', syscall: 'open' });
    const { stderr } = await printed(error);
    expect(stderr).toBe("calictl: EACCES: permission denied, open 'x' (EACCES)\n");
  });

  it('an error text is stripped of control characters and secrets', async () => {
    const { stderr } = await printed(new CalictlError('pool \u001b[2J of https://a:b@c', { code: 'X' }));
    expect(stderr).toBe('calictl: pool \\e[2J of https://a:***@c (X)\n');
  });

  it('an interruption exits 130', async () => {
    const signal = AbortSignal.abort();
    expect(await printed(signal.reason, { signal })).toEqual({
      code: 130,
      stdout: '',
      stderr: 'calictl: interrupted\n',
    });
  });
});

describe('calicoctlExit', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 0],
    [4, 1],
    [5, 1],
    [130, 130],
  ] as [ExitCode, number][])('exit code %i is %i in compat mode', (code, expected) => {
    expect(calicoctlExit(code)).toBe(expected);
  });
});
