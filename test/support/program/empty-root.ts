// A directory that becomes the root of programs: nothing is in it but these programs and the libraries that they load.
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { programPath } from './parts.ts';
import { printedBy, runProgram } from './run-program.ts';

/** The libraries that a program loads, as ldd lists them; none for one without any. */
export async function librariesOf(program: string): Promise<readonly string[]> {
  const { stdout } = await runProgram(['ldd', program]);
  return [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path = '']) => path);
}

/** Puts a program and its libraries into the root, at `path` of it. */
export async function installIn(root: string, program: string, path: string): Promise<void> {
  const copied = [[program, path], ...(await librariesOf(program)).map((library) => [library, library])];
  for (const [from = '', to = ''] of copied) {
    mkdirSync(join(root, dirname(to)), { recursive: true });
    if (!existsSync(join(root, to))) copyFileSync(from, join(root, to));
  }
}

/** Puts installed programs into /bin of the root. */
export async function installPrograms(root: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = programPath(name);
    if (path === undefined) throw new Error(`${name} is not installed`);
    await installIn(root, path, `/bin/${basename(path)}`);
  }
}

/** Further names of a program next to it. */
export function linkIn(root: string, path: string, names: readonly string[]): void {
  for (const name of names) symlinkSync(basename(path), join(root, dirname(path), name));
}

/** What a program prints that runs with this root, without any environment. */
export function printedIn(root: string, argv: readonly string[]): Promise<string> {
  return printedBy(['env', '-i', programPath('chroot') ?? 'chroot', root, ...argv]);
}
