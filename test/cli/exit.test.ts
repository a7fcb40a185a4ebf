// Errors as texts and exit codes.
import { describe, expect, it } from 'vitest';
import { exitFor, printError } from '../../src/cli/exit.ts';
import { DatastoreError } from '../../src/datastore/datastore.ts';
import { CalictlError, type ExitCode, RefusedError, UsageError } from '../../src/world/errors.ts';
import { testWorld } from '../support/program/world.ts';

async function printed(error: unknown, manner: { compat?: boolean; debug?: boolean; signal?: AbortSignal } = {}) {
  const { compat = false, debug = false, signal } = manner;
  const world = testWorld(signal === undefined ? {} : { signal });
  const code = await printError(error, world, { compat, debug });
  return { code, stderr: world.io.stderr.text, stdout: world.io.stdout.text };
}

const conflict = new CalictlError('the block has changed', { code: 'IPAM_CONFLICT', hint: 'run it again' });

describe('printError', () => {
  it('prints a sentence with its code, and a hint', async () => {
    expect(await printed(conflict)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'calictl: the block has changed (IPAM_CONFLICT)\nhint: run it again\n',
    });
  });

  it.each([
    [new UsageError('no'), 2],
    [new RefusedError('no', 'NO'), 4],
    [new CalictlError('some', { code: 'SOME', exit: 5 }), 5],
  ])('%s has its exit code', async (error, code) => {
    expect(await printed(error)).toMatchObject({ code });
  });

  it('prints the plain text in compat mode, and 1', async () => {
    expect(await printed(new RefusedError('not locked', 'X', 'lock it'), { compat: true })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'not locked\n',
    });
  });

  it('says what the store said, in compat mode', async () => {
    const error = new DatastoreError('unauthorized', 'the server refused', { storeText: 'ippools is forbidden' });
    expect((await printed(error, { compat: true })).stderr).toBe('connection is unauthorized: ippools is forbidden\n');
  });

  it('shows no stack of an unknown error, unless it is asked for', async () => {
    const quiet = await printed(new TypeError('x is not a function'));
    expect(quiet.code).toBe(1);
    expect(quiet.stderr).toContain('x is not a function');
    expect(quiet.stderr).toContain('report');
    expect(quiet.stderr).not.toMatch(/^ +at /m);
    expect((await printed(new TypeError('x'), { debug: true })).stderr).toMatch(/^ +at /m);
  });

  it('asks for no report when the operating system said no', async () => {
    const error = Object.assign(new Error("EACCES: permission denied, open 'x'"), { code: 'EACCES', syscall: 'open' });
    const { stderr } = await printed(error);
    expect(stderr).toBe("calictl: EACCES: permission denied, open 'x' (EACCES)\n");
  });

  it('lets nothing steer the terminal, and keeps secrets', async () => {
    const { stderr } = await printed(new CalictlError('pool \u001b[2J of https://a:b@c', { code: 'X' }));
    expect(stderr).toBe('calictl: pool \\e[2J of https://a:***@c (X)\n');
  });

  it('ends with 130 when interrupted', async () => {
    const signal = AbortSignal.abort();
    expect(await printed(signal.reason, { signal })).toEqual({
      code: 130,
      stdout: '',
      stderr: 'calictl: interrupted\n',
    });
  });
});

describe('exitFor', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 0],
    [4, 1],
    [5, 1],
    [130, 130],
  ] as [ExitCode, number][])('%i is %i in compat mode', (code, expected) => {
    expect(exitFor(code, true)).toBe(expected);
    expect(exitFor(code, false)).toBe(code);
  });
});
