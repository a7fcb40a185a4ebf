// `validate` compared with calicoctl v3.31.4 on the same manifests: exit code and both streams, byte for byte. Addresses in
// the memory of calicoctl, which it prints for some values, are not compared.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, reference, runReference } from '../support/program/reference-calicoctl.ts';
import { type TestFolder, testFolder } from '../support/program/test-folder.ts';
import { run } from '../support/program/world.ts';
import { type Case, cases, streams } from './validate-cases.ts';

const document = ([kind, spec, metadata]: Case): string =>
  JSON.stringify({ apiVersion: 'projectcalico.org/v3', kind, metadata: { name: 'a', ...metadata }, spec });

describe.skipIf(reference === undefined)('validate compared with calicoctl', () => {
  let folder: TestFolder;
  let theirs: Map<string, Answer>;

  beforeAll(async () => {
    folder = testFolder();
    const texts = [...cases.map(document), ...streams];
    for (const [index, text] of texts.entries()) folder.write(`${index}.yaml`, text);
    theirs = new Map();
    // Each run takes calicoctl longer to start than to check.
    const queue = texts.map((_, index) => `${index}.yaml`);
    const worker = async (): Promise<void> => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
        theirs.set(name, await runReference(['validate', '-f', join(folder.path, name)], {}));
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  }, 300_000);

  afterAll(() => folder.remove());

  async function expectSame(name: string): Promise<void> {
    const { code, stdout, stderr } = await run(['validate', '-f', join(folder.path, name)], {
      programName: 'calicoctl',
    });
    const masked = (text: string): string =>
      text.replace(/0x[0-9a-f]{6,}/g, '0x').replace(/(TierSpec\.Order = )'[^']*'/g, '$1');
    const their = theirs.get(name);
    expect({ code, stdout, stderr: masked(stderr) }).toEqual({ ...their, stderr: masked(their?.stderr ?? '') });
  }

  it.each(cases.map((one, index) => [document(one), index] as const))('validate of %s', async (_, index) => {
    await expectSame(`${index}.yaml`);
  });

  it.each(streams.map((text, index) => [text, index] as const))('validate of the stream %j', async (_, index) => {
    await expectSame(`${cases.length + index}.yaml`);
  });
});
