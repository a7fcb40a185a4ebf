// The transcripts in docs/guides are what their commands print, one after the other on a copy of the example.
// WRITE_DOCS=1 writes them.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openFolder } from '../../src/datastore/file/file-datastore.ts';
import { pod } from '../../src/resources/kinds/pod.ts';
import { exampleFolder } from '../support/clusters/example-cluster.ts';
import { run, TestClock, testWorld } from '../support/program/world.ts';

const guides = fileURLToPath(new URL('../../docs/guides', import.meta.url));
const exitWord = '; echo "exit $?"';

/** What one command line of a transcript prints; the cluster changes by it. */
async function printed(line: string, cluster: string, cwd: string): Promise<string> {
  const clock = new TestClock('2026-03-05T10:00:00Z');
  const deletion = /^kubectl delete pod -n (\S+) (\S+)$/.exec(line);
  if (deletion !== null) {
    const [, namespace = '', name = ''] = deletion;
    const store = await openFolder(cluster, testWorld({ clock }));
    await store.delete(pod, { namespace, name }, {});
    return `pod "${name}" deleted\n`;
  }
  const [command = '', pattern] = line.replace(exitWord, '').split(' | grep ');
  expect(command).toMatch(/^calictl /);
  const options = { env: { DATASTORE_TYPE: cluster }, cwd, clock, columns: 80 };
  const { code, stdout, stderr } = await run(command.slice('calictl '.length), options);
  expect(stderr, line).toBe('');
  const lines = stdout.replaceAll(`${cwd}/`, '').trimEnd().split('\n');
  const shown = pattern === undefined ? lines : lines.filter((text) => text.includes(pattern));
  return shown.join('\n') + (line.endsWith(exitWord) ? `\nexit ${code}\n` : '\n');
}

it.each(readdirSync(guides))('docs/guides/%s shows what its commands print', async (name) => {
  const file = join(guides, name);
  const text = readFileSync(file, 'utf8');
  const cwd = mkdtempSync(join(tmpdir(), 'calictl-guide-'));
  const cluster = join(cwd, 'broken');
  cpSync(exampleFolder, cluster, { recursive: true });
  for (const example of ['bgp-faults', 'case-17']) {
    const folder = fileURLToPath(new URL(`../../docs/examples/${example}`, import.meta.url));
    cpSync(folder, join(cwd, example), { recursive: true });
  }
  let actual = '';
  let end = 0;
  for (const block of text.matchAll(/(?<=\n```console\n).*?(?=```\n)/gs)) {
    actual += text.slice(end, block.index);
    for (const [, line = ''] of block[0].matchAll(/^\$ (.*)$/gm))
      actual += `$ ${line}\n${await printed(line, cluster, cwd)}`;
    end = block.index + block[0].length;
  }
  actual += text.slice(end);
  rmSync(cwd, { recursive: true });
  if (process.env['WRITE_DOCS']) writeFileSync(file, actual);
  else expect(actual).toBe(text);
});
