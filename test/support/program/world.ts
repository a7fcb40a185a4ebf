// A World in memory, and the command line run in it: no process, no terminal, no real time.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/run-cli.ts';
import type { KubeObject } from '../../../src/resources/object.ts';
import { printJson } from '../../../src/text/json.ts';
import type { Clock, InputStream, OutputStream, Random, World } from '../../../src/world/world.ts';

/** Keeps everything that is written. */
export class MemoryStream implements OutputStream {
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly colour: boolean;
  readonly pieces: string[] = [];
  readonly gone = new AbortController().signal;
  /** The total written, with each character of text counting as one. */
  bytes = 0;

  constructor(isTerminal: boolean, columns = 100) {
    this.isTerminal = isTerminal;
    this.colour = isTerminal;
    this.columns = columns;
  }

  get text(): string {
    return this.pieces.join('');
  }

  async write(text: string | Uint8Array): Promise<void> {
    this.pieces.push(typeof text === 'string' ? text : Buffer.from(text).toString());
    this.bytes += text.length;
  }
}

/** Advances only when set; a sleep advances it at once. */
export class TestClock implements Clock {
  #ms: number;
  /** Called before each sleep, to change the world during it. */
  onSleep: (ms: number) => void = () => undefined;

  constructor(at: string | Date) {
    this.#ms = new Date(at).getTime();
  }

  now(): Date {
    return new Date(this.#ms);
  }

  nowNs(): bigint {
    return BigInt(this.#ms) * 1_000_000n;
  }

  advance(ms: number): void {
    this.#ms += ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.onSleep(ms);
    signal?.throwIfAborted();
    this.#ms += ms;
  }
}

/** Sends a signal to a process group that a test started; a group that has ended is not an error. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // It has ended already.
  }
}

/** Always returns the middle of the range. */
export const evenRandom: Random = { uuid: () => 'none', float: () => 0.5 };

export interface WorldOptions {
  /** `calicoctl` for compat mode. */
  readonly programName?: string;
  readonly programPath?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
  /** All three streams are a terminal. */
  readonly terminal?: boolean;
  readonly columns?: number;
  readonly clock?: TestClock;
  readonly signal?: AbortSignal;
}

export interface TestWorld extends World {
  readonly io: { readonly stdin: InputStream; readonly stdout: MemoryStream; readonly stderr: MemoryStream };
  readonly clock: TestClock;
}

function inputOf(text: string, isTerminal: boolean): InputStream {
  let rest = text;
  return {
    isTerminal,
    async readAll() {
      const all = rest;
      rest = '';
      return all;
    },
    async readLine() {
      if (rest === '') return undefined;
      const [line = '', ...more] = rest.split('\n');
      rest = more.join('\n');
      return line;
    },
  };
}

/** Does not exist and cannot be created, not even by root: a test that writes must say where. */
const nowhere = '/dev/null/nowhere';

/** A world of 2025-06-15 16:00 UTC with an empty environment. */
export function testWorld(options: WorldOptions = {}): TestWorld {
  const { terminal = false, columns, clock = new TestClock('2025-06-15T16:00:00Z') } = options;
  let uuids = 0;
  return {
    programName: options.programName ?? 'calictl',
    programPath: options.programPath ?? '/usr/lib/calictl/bin/calictl.js',
    env: { HOME: nowhere, ...options.env },
    cwd: options.cwd ?? nowhere,
    platform: 'linux',
    io: {
      stdin: inputOf(options.stdin ?? '', terminal),
      stdout: new MemoryStream(terminal, columns),
      stderr: new MemoryStream(terminal, columns),
    },
    clock,
    random: {
      uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
      float: evenRandom.float,
    },
    self: { pid: process.pid, hostname: 'testhost', incarnation: 'test', isAlive: () => true },
    signalGroup,
    lendTerminal: (work) => work(),
    signal: options.signal ?? new AbortController().signal,
  };
}

/** A folder with one file that holds the objects; removed by the caller. */
export function folderOf(objects: readonly KubeObject[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-test-'));
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  if (objects.length > 0) writeFileSync(join(folder, 'objects.json'), printJson(list, { indent: 1 }));
  return folder;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly world: TestWorld;
}

export interface RunOptions extends WorldOptions {
  /** The datastore: an existing folder, or objects for a temporary one. */
  readonly folder?: string;
  readonly objects?: readonly KubeObject[];
}

/** Runs a command line (a string that is split at spaces, or an array of arguments) on a datastore folder. */
export async function run(line: string | readonly string[], options: RunOptions = {}): Promise<Ran> {
  const made = options.objects === undefined ? undefined : folderOf(options.objects);
  const folder = options.folder ?? made;
  const world = testWorld({
    ...options,
    env: { ...(folder === undefined ? {} : { DATASTORE_TYPE: folder }), ...options.env },
  });
  const argv = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line;
  try {
    const code = await runCli(argv, world);
    return { code, stdout: world.io.stdout.text, stderr: world.io.stderr.text, world };
  } finally {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
  }
}
