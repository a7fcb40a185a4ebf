// `convert` compared with calicoctl v3.31.4 on the same manifests, valid and broken, with and without --ignore-validation:
// exit code and both streams, byte for byte. Addresses in the memory of calicoctl, which it prints for some values, are not
// compared.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, reference, runReference } from '../support/program/reference-calicoctl.ts';
import { type TestFolder, testFolder } from '../support/program/test-folder.ts';
import { run } from '../support/program/world.ts';

const fixture = fileURLToPath(new URL('../fixtures/convertible/cases.txt', import.meta.url));
const manifests = readFileSync(fixture, 'utf8').split('=====\n');

const words = ['-o', 'json', '--ignore-validation'];

describe.skipIf(reference === undefined)('convert compared with calicoctl', () => {
  let folder: TestFolder;
  let theirs: Map<string, Answer>;
  const compared = manifests.map((text, index) => [text, `${index}.yaml`] as const);
  const argvOf = (name: string, more: readonly string[]): string[] => [
    'convert',
    '-f',
    join(folder.path, name),
    ...more,
  ];

  beforeAll(async () => {
    folder = testFolder();
    theirs = new Map();
    for (const [text, name] of compared) folder.write(name, text);
    const queue = compared.flatMap(([, name]) => [[], words].map((more) => argvOf(name, more)));
    const worker = async (): Promise<void> => {
      for (let argv = queue.shift(); argv !== undefined; argv = queue.shift()) {
        theirs.set(argv.join(' '), await runReference(argv, {}));
      }
    };
    await Promise.all([worker(), worker(), worker()]);
  }, 300_000);

  afterAll(() => folder.remove());

  it('at least two hundred manifests are compared', () => {
    expect(compared.length).toBeGreaterThan(200);
  });

  const masked = (text: string): string =>
    text.replace(/0x[0-9a-f]{6,}/g, '0x').replace(/= '(?:0x|\d+|)' \(ICMP code/g, '(ICMP code');

  for (const [text, name] of compared) {
    for (const more of [[], words]) {
      it(`convert ${more.join(' ')} of ${text.slice(0, 200)}`, async () => {
        const argv = argvOf(name, more);
        const { code, stdout, stderr } = await run(argv, { programName: 'calicoctl' });
        const their = theirs.get(argv.join(' '));
        expect({ code, stdout, stderr: masked(stderr) }).toEqual({ ...their, stderr: masked(their?.stderr ?? '') });
      });
    }
  }
});
