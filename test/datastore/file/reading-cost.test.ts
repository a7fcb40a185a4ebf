// What reading costs grows with the text and not with its square: work is counted, time is not measured.
import { promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openFolder } from '../../../src/datastore/file/file-datastore.ts';
import { printItem, printObject } from '../../../src/manifest/edit-yaml.ts';
import { Manifest } from '../../../src/manifest/manifest.ts';
import { LineCounter } from '../../../src/manifest/object-position.ts';
import { ipamHandle } from '../../../src/resources/kinds/ipam-handle.ts';
import { printJson } from '../../../src/text/json.ts';
import { handle, handleYaml } from '../../support/clusters/counter-handles.ts';
import { type TestFolder, testFolder } from '../../support/program/test-folder.ts';
import { testWorld } from '../../support/program/world.ts';

let folder: TestFolder | undefined;
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  folder?.remove();
  folder = undefined;
});

/** Characters that searches for a text pass over while `act` runs. */
function searched(act: () => void): number {
  let characters = 0;
  const { indexOf, lastIndexOf } = String.prototype;
  vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, text: string, from = 0) {
    const found = indexOf.call(this, text, from);
    characters += Math.max(0, (found < 0 ? this.length : found) - from);
    return found;
  });
  vi.spyOn(String.prototype, 'lastIndexOf').mockImplementation(function (
    this: string,
    text: string,
    from = Number.POSITIVE_INFINITY,
  ) {
    const found = lastIndexOf.call(this, text, from);
    characters += Math.min(this.length, from) - Math.max(0, found);
    return found;
  });
  act();
  vi.restoreAllMocks();
  return characters;
}

const handles = (count: number) => Array.from({ length: count }, (_, n) => handle(`h-${n}`));
const list = (count: number) => ({ apiVersion: 'v1', kind: 'List', items: handles(count) });
const head = 'apiVersion: v1\nkind: List\nitems:\n';

/** Every style in which a dump may be written, those that are read through the parsed tree among them. */
const styles: Readonly<Record<string, readonly [isJson: boolean, text: (count: number) => string]>> = {
  'JSON on one line': [true, (count) => printJson(list(count))],
  'JSON on many lines': [true, (count) => printJson(list(count), { indent: 2 })],
  'JSON on one line in a YAML file': [false, (count) => printJson(list(count))],
  'YAML documents': [
    false,
    (count) =>
      handles(count)
        .map((one) => `---\n${printObject(one)}`)
        .join(''),
  ],
  'YAML documents with end marks': [
    false,
    (count) =>
      handles(count)
        .map((one) => `---\n${printObject(one)}...\n`)
        .join(''),
  ],
  'YAML documents in flow style': [
    false,
    (count) =>
      handles(count)
        .map((one) => `---\n${printJson(one)}\n`)
        .join(''),
  ],
  'YAML documents with kept line ends': [
    false,
    (count) =>
      handles(count)
        .map((one) => `---\n${printObject(one)}note: |+\n  a\n`)
        .join(''),
  ],
  'a YAML list': [
    false,
    (count) =>
      head +
      handles(count)
        .map((one) => printItem(one, ''))
        .join(''),
  ],
  'a YAML list of items in flow style': [
    false,
    (count) =>
      head +
      handles(count)
        .map((one) => `- ${printJson(one)}\n`)
        .join(''),
  ],
  'a YAML list with kept line ends': [
    false,
    (count) =>
      `note: |+\n  a\n${head}${handles(count)
        .map((one) => printItem(one, ''))
        .join('')}`,
  ],
};

describe('a manifest with four times as many objects takes four times as long to search', () => {
  it.each(Object.keys(styles))('the search of %s grows with the size of the manifest', (style) => {
    const [isJson, text] = styles[style] as (typeof styles)[string];
    const cost = (count: number): number => {
      const written = text(count);
      let read = 0;
      const characters = searched(() => {
        read = new Manifest(written, isJson).count;
      });
      expect(read).toBe(count);
      return characters;
    };
    expect(cost(200)).toBeLessThan(4.5 * cost(50));
  });
});

it('lines are counted in one pass over the text, even without line ends', () => {
  for (const text of ['x'.repeat(10_000), 'xxxxxxxxx\n'.repeat(1_000)]) {
    const characters = searched(() => {
      const lines = new LineCounter(text);
      for (let offset = 0; offset < text.length; offset += 5) lines.at(offset);
    });
    expect(characters).toBeLessThanOrEqual(text.length);
  }
  const lines = new LineCounter('a\nb\n\nc', 2, 2);
  expect([2, 3, 4, 5].map((offset) => lines.at(offset))).toEqual([2, 2, 3, 4]);
});

describe('a directory of many files', () => {
  const filled = (files: number): TestFolder =>
    testFolder(Object.fromEntries(Array.from({ length: files }, (_, n) => [`h-${n}.yaml`, handleYaml(`h-${n}`)])));

  it('concurrent calls share one reading of a directory', async () => {
    folder = filled(20);
    const store = await openFolder(folder.path, testWorld());
    await store.get(ipamHandle, { name: 'h-1' });
    const looks = vi.spyOn(promises, 'readdir');
    syncBuiltinESMExports();
    const missing = (name: string) => store.get(ipamHandle, { name }).catch((error: Error) => error.message);
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => missing(`gone-${n}`)));
    expect(new Set(answers).size).toBe(100);
    // A call that comes when a look is over gets one of its own.
    const shared = looks.mock.calls.length;
    await missing('gone-0');
    expect(looks.mock.calls.length).toBeGreaterThan(shared);
    expect(shared).toBeLessThanOrEqual(3);
  });

  it('a call sees everything that was written before it', async () => {
    folder = filled(3);
    const store = await openFolder(folder.path, testWorld());
    await store.get(ipamHandle, { name: 'h-1' });
    const early = store.get(ipamHandle, { name: 'late-0' }).catch(() => undefined);
    for (let n = 0; n < 5; n++) {
      folder.write(`late-${n}.yaml`, handleYaml(`late-${n}`));
      const found = await store.get(ipamHandle, { name: `late-${n}` });
      expect(found.metadata.name).toBe(`late-${n}`);
    }
    await early;
  });

  it('a write to a large directory costs no more than to a small one', async () => {
    const cost = async (files: number): Promise<number> => {
      const made = filled(files);
      try {
        const store = await openFolder(made.path, testWorld());
        const stored = await store.get(ipamHandle, { name: 'h-1' });
        const entered = vi.spyOn(Map.prototype, 'set');
        await store.update(ipamHandle, { ...stored, spec: { ...stored.spec, deleted: true } });
        const calls = entered.mock.calls.length;
        vi.restoreAllMocks();
        return calls;
      } finally {
        made.remove();
      }
    };
    // A handful more or less is the machinery of the test itself.
    expect(await cost(300)).toBeLessThan((await cost(3)) + 100);
  });
});
