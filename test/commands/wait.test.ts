// wait over folders that change while they are watched, on a clock that goes on as the folder is read again.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseCondition } from '../../src/commands/wait/condition.ts';
import type { KubeObject } from '../../src/resources/object.ts';
import { type Ran, run, TestClock } from '../support/program/world.ts';

const made: string[] = [];
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

const pool = (name: string, spec: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'projectcalico.org/v3',
  kind: 'IPPool',
  metadata: { name, uid: `uid-of-${name}`, ...metadata },
  spec: { cidr: `10.${name.replace(/\D/g, '')}.0.0/16`, ...spec },
});

/** Each pause between two reads takes its time at once, runs one step, and ends the sleeps whose time has come. */
class SteppedClock extends TestClock {
  readonly #steps: (() => void)[];
  readonly #sleeping: { readonly at: number; wake(): void }[] = [];

  constructor(steps: readonly (() => void)[]) {
    super('2025-06-15T16:00:00Z');
    this.#steps = [...steps];
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const at = this.now().getTime() + ms;
    if (ms !== 1000) {
      await new Promise<void>((resolve, reject) => {
        this.#sleeping.push({ at, wake: resolve });
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return;
    }
    this.advance(ms);
    this.#steps.shift()?.();
    for (const { at: due, wake } of this.#sleeping) if (due <= this.now().getTime()) wake();
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
}

interface Folder {
  put(object: KubeObject): void;
  remove(name: string): void;
  wait(line: string, ...steps: readonly (() => void)[]): Promise<Ran & { readonly seconds: number }>;
}

function folder(...objects: readonly KubeObject[]): Folder {
  const path = mkdtempSync(join(tmpdir(), 'calictl-wait-'));
  made.push(path);
  const file = (name: string): string => join(path, `${name}.json`);
  const put = (object: KubeObject): void => writeFileSync(file(object.metadata.name), JSON.stringify(object));
  for (const object of objects) put(object);
  return {
    put,
    remove: (name) => rmSync(file(name)),
    async wait(line, ...steps) {
      const clock = new SteppedClock(steps);
      const before = clock.now().getTime();
      const ran = await run(`wait ${line}`, { folder: path, clock });
      return { ...ran, seconds: (clock.now().getTime() - before) / 1000 };
    },
  };
}

describe('calictl wait', () => {
  it('what holds already is reported at once', async () => {
    const { wait } = folder(pool('pool-1', { disabled: true }));
    expect(await wait('ippool pool-1 --for=jsonpath={.spec.disabled}=true')).toMatchObject({
      code: 0,
      stdout: 'ippool/pool-1 condition met\n',
      stderr: '',
      seconds: 0,
    });
  });

  it('the value of --for=jsonpath may contain braces', async () => {
    const { wait } = folder(pool('pool-1'));
    const { code, stderr } = await wait('ippool pool-1 --timeout 3s --for=jsonpath={.kind}={"a":1}');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'calictl: timed out after 3s waiting for jsonpath={.kind}={"a":1} of IPPool pool-1 (WAIT_TIMEOUT)\n',
    });
  });

  it('--for=jsonpath waits for the value', async () => {
    const { wait, put } = folder(pool('pool-1'));
    const ran = await wait(
      'ippool/pool-1 --for=jsonpath={.spec.disabled}=true',
      () => put(pool('pool-1', { natOutgoing: true })),
      () => put(pool('pool-1', { disabled: true })),
    );
    expect(ran).toMatchObject({ code: 0, stdout: 'ippool/pool-1 condition met\n', stderr: '' });
  });

  it('--for=delete waits until the object is gone, also if another one has its name by then', async () => {
    const { wait, put, remove } = folder(pool('pool-1'), pool('pool-2'));
    const again = pool('pool-2', {}, { uid: 'another' });
    const ran = await wait(
      'ippool pool-1 pool-2 --for=delete',
      () => put(again),
      () => remove('pool-1'),
    );
    expect(ran).toMatchObject({
      code: 0,
      stdout: 'ippool/pool-1 condition met\nippool/pool-2 condition met\n',
      stderr: '',
    });
    expect(await wait('ippool nosuch --for=delete')).toMatchObject({ code: 0, seconds: 0 });
  });

  it('--for=delete of the last object of a directory ends when it is gone', async () => {
    const { wait, remove } = folder(pool('pool-1'));
    expect(await wait('ippool pool-1 --for=delete', () => remove('pool-1'))).toMatchObject({
      code: 0,
      stdout: 'ippool/pool-1 condition met\n',
    });
  });

  it('--for=create waits until there is such an object', async () => {
    const { wait, put } = folder(pool('pool-1'));
    const ran = await wait(
      'ippool pool-2 --for=create',
      () => undefined,
      () => put(pool('pool-2')),
    );
    expect(ran).toMatchObject({ code: 0, stdout: 'ippool/pool-2 condition met\n' });
  });

  it('when the time is up, the objects that are not as required yet are named', async () => {
    const { wait, put } = folder(pool('pool-1'), pool('pool-2'), pool('pool-3'));
    const ran = await wait('ippools --all --timeout 3s --for=jsonpath={.spec.disabled}=true', () =>
      put(pool('pool-2', { disabled: true })),
    );
    expect(ran).toMatchObject({ code: 5, stdout: 'ippool/pool-2 condition met\n' });
    expect(ran.stderr).toBe(
      'calictl: timed out after 3s waiting for jsonpath={.spec.disabled}=true of IPPool pool-1, IPPool pool-3 (WAIT_TIMEOUT)\n',
    );
    const none = await wait('ippool pool-1 --for=delete');
    expect(none).toMatchObject({ code: 1, stdout: '' });
  });

  it('--timeout 0 checks once', async () => {
    const { wait } = folder(pool('pool-1'));
    const ran = await wait('ippool pool-1 --for=delete --timeout 0');
    expect(ran).toMatchObject({ code: 1, seconds: 0 });
    expect(ran.stderr).toContain('timed out waiting for delete of IPPool pool-1');
  });

  it('an object that does not exist, or is deleted in the meantime, is an error', async () => {
    const { wait, remove } = folder(pool('pool-1'));
    const missing = await wait('ippool nosuch --for=jsonpath={.spec.cidr}');
    expect(missing).toMatchObject({ code: 1, seconds: 0 });
    expect(missing.stderr).toContain('IPPool nosuch does not exist');
    const gone = await wait('ippool pool-1 --for=jsonpath={.spec.disabled}=true', () => remove('pool-1'));
    expect(gone).toMatchObject({ code: 1 });
    expect(gone.stderr).toContain('IPPool pool-1 was deleted');
  });

  it('-l and --field-selector choose among the objects that there are at the beginning', async () => {
    const labelled = (name: string, spec: object): KubeObject => pool(name, spec, { labels: { team: 'shop' } });
    const { wait, put } = folder(labelled('pool-1', { disabled: true }), labelled('pool-2', {}), pool('pool-3'));
    const ran = await wait('ippools -l team=shop --for=jsonpath={.spec.disabled}=true', () => {
      put(labelled('pool-2', { disabled: true }));
      put(labelled('pool-4', {}));
    });
    expect(ran).toMatchObject({
      code: 0,
      stdout: 'ippool/pool-1 condition met\nippool/pool-2 condition met\n',
    });
    const byField = await wait('ippools --field-selector metadata.name=pool-1 --for=jsonpath={.spec.disabled}=true');
    expect(byField.stdout).toBe('ippool/pool-1 condition met\n');
    const none = await wait('ippools -l team=none --for=jsonpath={.spec.disabled}=true');
    expect(none).toMatchObject({ code: 1, seconds: 0 });
    expect(none.stderr).toContain('no such objects');
    expect((await wait('ippools -l team=none --for=delete')).code).toBe(0);
  });

  it('-A waits for the objects of all namespaces, -n for those of one', async () => {
    const set = (name: string, namespace: string, nets: readonly string[]): KubeObject => ({
      apiVersion: 'projectcalico.org/v3',
      kind: 'NetworkSet',
      metadata: { name, namespace },
      spec: { nets },
    });
    const { wait, put } = folder(set('a', 'shop', ['10.0.0.0/8']), set('b', 'bank', []));
    const filled = (): void => put(set('b', 'bank', ['10.0.0.0/8']));
    expect(await wait('networksets -A --all --for=jsonpath={.spec.nets[0]}', filled)).toMatchObject({
      code: 0,
      stdout: 'networkset/b condition met (namespace bank)\nnetworkset/a condition met (namespace shop)\n',
    });
    expect((await wait('networksets -n shop --all --for=jsonpath={.spec.nets[0]}')).stdout).toBe(
      'networkset/a condition met (namespace shop)\n',
    );
  });

  it('-o json has each object and how the wait for it ended', async () => {
    const { wait } = folder(pool('pool-1', { disabled: true }), pool('pool-2'));
    const { stdout } = await wait(
      'ippool pool-1 pool-2 pool-3 --timeout 0 -o json --for=jsonpath={.spec.disabled}=true',
    );
    expect(JSON.parse(stdout)).toEqual({
      apiVersion: 'calictl/v1',
      kind: 'Wait',
      for: 'jsonpath={.spec.disabled}=true',
      objects: [
        { kind: 'IPPool', name: 'pool-1', outcome: 'met' },
        { kind: 'IPPool', name: 'pool-2', outcome: 'timed out' },
        { kind: 'IPPool', name: 'pool-3', outcome: 'failed', error: 'IPPool pool-3 does not exist' },
      ],
    });
  });

  it.each([
    ['ippool pool-1', '--for is required'],
    ['ippool pool-1 --for=ready', 'invalid condition for --for: ready'],
    ['ippool pool-1 --for=jsonpath={.a[}', 'invalid JSONPath'],
    ['ippool pool-1 --for=delete --timeout soon', 'invalid duration for --timeout: soon'],
    ['ippools --for=delete', 'no names given'],
    ['ippool pool-1 --all --for=delete', 'NAME cannot be used together with'],
    ['all --all --for=delete', "'all' names no kind"],
    ['--for=delete', 'nothing to wait for'],
  ])('wrong usage: wait %s', async (line, message) => {
    const { code, stderr } = await folder(pool('pool-1')).wait(line);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('--for', () => {
  const withConditions = (...conditions: readonly object[]): KubeObject => ({
    ...pool('pool-1', {}, { generation: 3 }),
    status: { conditions },
  });
  const holds = (text: string, object: KubeObject): boolean | undefined => {
    const condition = parseCondition(text);
    return condition?.type === 'state' ? condition.holds(object) : undefined;
  };

  it.each([
    ['condition=Ready', { type: 'Ready', status: 'True' }, true],
    ['condition=ready', { type: 'Ready', status: 'true' }, true],
    ['condition=Ready', { type: 'Ready', status: 'False' }, false],
    ['condition=Ready=False', { type: 'Ready', status: 'False' }, true],
    ['condition=Ready==Unknown', { type: 'Ready', status: 'Unknown' }, true],
    ['condition=Ready', { type: 'Other', status: 'True' }, false],
    ['condition=Ready', { type: 'Ready', status: 'True', observedGeneration: 2 }, false],
    ['condition=Ready', { type: 'Ready', status: 'True', observedGeneration: 3 }, true],
  ])('%s of %o is %s', (text, condition, expected) => {
    expect(holds(text, withConditions(condition))).toBe(expected);
  });

  it.each([
    ['jsonpath={.spec.cidr}', true],
    ['jsonpath={.spec.nosuch}', false],
    ['jsonpath={.spec.cidr}=10.1.0.0/16', true],
    ['jsonpath=.spec.cidr=10.1.0.0/16', true],
    ['jsonpath={.spec.cidr}==10.1.0.0/16', true],
    ['jsonpath={.spec.cidr}=10.2.0.0/16', false],
    ['jsonpath={.spec.big}=9007199254740993', true],
    ['jsonpath={.spec.list[?(@.a=="b")].c}=7', true],
    ['jsonpath={.spec.list[*].c}=7', false],
  ])('%s is %s', (text, expected) => {
    const spec = {
      big: 9007199254740993n,
      list: [
        { a: 'b', c: 7 },
        { a: 'x', c: 7 },
      ],
    };
    expect(holds(text, pool('pool-1', spec))).toBe(expected);
  });

  it('a condition without a status of its kind does not hold', () => {
    expect(holds('condition=Ready', pool('pool-1'))).toBe(false);
  });
});
