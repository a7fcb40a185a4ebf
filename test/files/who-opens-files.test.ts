// Which modules open files by themselves: all others use src/files, which never waits for a pipe or reads a device.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Modules that read files without src/files, and why no pipe can be in their place. */
const allowed: Readonly<Record<string, string>> = {
  'cli/process-identity.ts': 'files of /proc',
  'commands/node/checksystem/this-kernel.ts': 'files of /proc, /boot and /lib/modules',
  'connect/kube-connection.ts': 'the CA file, looked at by refuseSpecialFile before',
  'datastore/file/lock-file.ts': 'the draft that the same function wrote',
  'node-exec/processes.ts': 'files of /proc',
  'node-exec/ssh/local-file.ts': 'opens like src/files, but at once',
  'snapshot/pack-folder.ts': 'a directory that calictl filled itself',
};

const source = new URL('../../src/', import.meta.url);

function opensFiles(name: string): boolean {
  const text = readFileSync(new URL(name, source), 'utf8');
  const imports = text.match(/import \{[^}]*\} from 'node:fs(?:\/promises)?';/g) ?? [];
  return imports.some((line) => /\b(readFile|readFileSync|createReadStream)\b/.test(line));
}

it('only the listed modules read files without the checks of src/files', () => {
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const found = names.filter((name) => !name.startsWith('files/') && opensFiles(name));
  expect(found.sort()).toEqual(Object.keys(allowed).sort());
});
