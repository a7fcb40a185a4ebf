// The transcripts of pages: blocks of `$ command` lines with what they print, run in process one after the other, and the
// blocks between them that a reader types too.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { openFolder } from '../../../src/datastore/file/file-datastore.ts';
import { pod } from '../../../src/resources/kinds/pod.ts';
import { run, TestClock, testWorld } from '../program/world.ts';
import { argumentsOf, exampleTime } from './command-lines.ts';

const exitWord = '; echo "exit $?"';

/** A shell as far as pages need one: a working directory, exported variables, and few commands. */
export class PageShell {
  readonly #cwd: string;
  readonly #env: Record<string, string>;

  /** Starts in `cwd`, the root of the repository or a copy of it, with a home directory that transcripts call `/home/ada`. */
  constructor(cwd: string) {
    this.#cwd = cwd;
    this.#env = { HOME: join(cwd, 'home', 'ada') };
  }

  /** Runs a line that is not part of a transcript; false when it is none that can be run here. */
  async type(line: string): Promise<boolean> {
    const [, from, to] = /^cp -r (\S+) (\S+)$/.exec(line) ?? [];
    const [, name, value] = /^export (\w+)=(\S+)$/.exec(line) ?? [];
    if (from !== undefined && to !== undefined) cpSync(join(this.#cwd, from), join(this.#cwd, to), { recursive: true });
    else if (name !== undefined) this.#env[name] = value?.replace('$PWD', this.#cwd) ?? '';
    else return false;
    return true;
  }

  /** What a line of a transcript prints, with the exit code or the lines that match. Errors: when it writes to stderr. */
  async print(line: string): Promise<string> {
    const clock = new TestClock(exampleTime);
    const [, namespace = '', name] = /^kubectl delete pod -n (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined) {
      const store = await openFolder(this.#env['DATASTORE_TYPE'] ?? '', testWorld({ clock }));
      await store.delete(pod, { namespace, name }, {});
      return `pod "${name}" deleted\n`;
    }
    const words = argumentsOf(line);
    if (words === undefined) throw new Error(`not a command line of calictl: ${line}`);
    const { code, stdout, stderr } = await run(words, { env: this.#env, cwd: this.#cwd, clock, columns: 80 });
    if (stderr !== '') throw new Error(`${line}: ${stderr}`);
    const [, pattern] = / \| grep (\S+)$/.exec(line.replace(exitWord, '')) ?? [];
    const text = stdout
      .replaceAll(`${this.#cwd}/home/`, '/home/')
      .replaceAll(`${this.#cwd}/`, '')
      .replaceAll(`-${process.pid}.jsonl`, '-4711.jsonl');
    const lines = text.trimEnd().split('\n');
    const shown = pattern === undefined ? lines : lines.filter((one) => one.includes(pattern));
    return shown.join('\n') + (line.endsWith(exitWord) ? `\nexit ${code}\n` : '\n');
  }

  /** A transcript with what its commands print. */
  async replay(transcript: string): Promise<string> {
    let actual = '';
    for (const [, line = ''] of transcript.matchAll(/^\$ (.*)$/gm)) actual += `$ ${line}\n${await this.print(line)}`;
    return actual;
  }
}
