// Folders and snapshots with random damage, and every command that reads them: no unexpected error, no endless wait, no raw
// control character in what is printed, and no write outside of what was named. Each folder meets a fixed list of commands and one
// command line of every command of the program. Few folders by default; LONG=1 for all.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { printJson } from '../../src/text/json.ts';
import { printYaml } from '../../src/text/yaml.ts';
import { damageOnce } from '../support/clusters/damage.ts';
import { cluster, seeded } from '../support/clusters/seeded-cluster.ts';
import { type CommandLine, everyCommandLine, oneOfEach, writeNamedFiles } from '../support/program/every-command.ts';
import { run } from '../support/program/world.ts';

const isLong = Boolean(process.env['LONG']);
const folders = isLong ? 300 : 16;
const snapshots = isLong ? 100 : 10;
/** Far more than a healthy run takes. */
const limitMs = 20_000;

let top: string;
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'calictl-mutated-'));
});
beforeEach(() => {
  for (const name of readdirSync(top)) rmSync(join(top, name), { recursive: true });
  for (const name of ['state', 'work']) mkdirSync(join(top, name));
});
afterAll(() => rmSync(top, { recursive: true }));

type Random = () => number;
const below = (random: Random, count: number): number => Math.floor(random() * count);
const pick = <T>(random: Random, items: readonly T[]): T => items[below(random, items.length)] as T;

/** Values of the wrong type or with characters that a terminal obeys. */
const oddValues: readonly unknown[] = [
  null,
  -1,
  0,
  1e308,
  2n ** 70n,
  true,
  '',
  [],
  {},
  [[[]]],
  'ESC\u001b[2J\u001b]0;title\u0007',
  'CSI\u009b2J\u009d0;title\u0007\r\b\u202e',
  '../../etc/passwd',
  '__proto__',
  '\ud800',
  '10.60.0.999/33',
  'x'.repeat(5000),
];

/** Replaces, removes or repeats one field somewhere in the object. */
function mutateObject(object: KubeObject, random: Random): void {
  let place: Record<string, unknown> | unknown[] = object as unknown as Record<string, unknown>;
  for (;;) {
    const keys: string[] = Object.keys(place);
    if (keys.length === 0) return;
    const key = pick(random, keys);
    const members = place as Record<string, unknown>;
    const value = members[key];
    if (typeof value === 'object' && value !== null && random() < 0.8) {
      place = value as Record<string, unknown> | unknown[];
      continue;
    }
    if (random() < 0.2) delete members[key];
    else members[key] = pick(random, oddValues);
    return;
  }
}

/** Cuts, repeats or overwrites a piece of a text. */
function mutateText(text: string, random: Random): string {
  const at = below(random, text.length + 1);
  const end = Math.min(text.length, at + below(random, 40));
  const pieces = [
    '',
    '\u0000',
    '\u001b[31m',
    '\u009b2J\u009d0;t\u009c',
    '\r\b\u202e',
    '{',
    ']',
    '"',
    '\n',
    '---\n',
    '&a *a',
    '\t',
    '- - -',
    '!!binary x',
    text.slice(at, end),
  ];
  return text.slice(0, at) + pick(random, pieces) + (random() < 0.5 ? text.slice(at) : text.slice(end));
}

/** Something that is not a manifest, with the name of one. */
function addOddFile(folder: string, random: Random): void {
  const path = join(folder, `odd.${pick(random, ['yaml', 'json', 'yml'])}`);
  const kinds: readonly (() => void)[] = [
    () => symlinkSync('nowhere', path),
    () => symlinkSync('/dev/zero', path),
    () => symlinkSync(path, path),
    () => execFileSync('mkfifo', [path]),
    () => mkdirSync(path),
    () => writeFileSync(path, Buffer.from([0xff, 0xfe, 0])),
    () => writeFileSync(path, '['.repeat(3000)),
    () => writeFileSync(path, 'kind: List\napiVersion: v1\nitems: 5\n'),
    () => writeFileSync(join(folder, 'snapshot.json'), pick(random, ['', '[]', '{"capturedAt":5}', '{"complete":{}}'])),
    () => execFileSync('mkfifo', [join(folder, 'snapshot.json')]),
  ];
  pick(random, kinds)();
}

function damagedFolder(seed: number): string {
  const random = seeded(seed);
  const next = (): number => random();
  const plan = {
    seed,
    nodes: 2,
    podsPerNode: 3,
    // The names that the examples of commands have.
    pools: [{ name: 'default-pool', cidr: '10.60.0.0/24', blockSize: 29 }],
    nodeName: (index: number) => `worker-${index + 1}`,
    namespaces: ['shop'],
  };
  const made = cluster({ ...plan, madeAt: new Date('2025-06-01T00:00:00Z') });
  damageOnce('leak', made, random);
  for (let count = below(next, 4); count > 0; count--) mutateObject(pick(next, made.objects), next);
  const folder = join(top, `directory-${seed}`);
  mkdirSync(folder);
  for (const kind of new Set(made.objects.map((object) => String(object.kind)))) {
    const items = made.objects.filter((object) => String(object.kind) === kind);
    const list = { apiVersion: 'v1', kind: 'List', items };
    const [end, text] = next() < 0.5 ? ['json', printJson(list)] : ['yaml', printYaml(list)];
    const name = `${kind.replace(/[^A-Za-z]/g, '').slice(0, 40)}.${end}`;
    writeFileSync(join(folder, name), next() < 0.15 ? mutateText(text, next) : text);
  }
  if (next() < 0.3) addOddFile(folder, next);
  return folder;
}

/** Names, sizes and texts of everything below a folder; links and pipes by name only. */
function stateOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path} ${statSync(path).size} ${JSON.stringify(readFileSync(path, 'latin1'))}` : path;
    })
    .sort()
    .join('\n');
}

const rawControl = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Runs the command; what it printed is fit for a terminal, and it ended in time and for a known reason. */
async function behaves(line: string | CommandLine, folder: string, cwd = top): Promise<void> {
  const { argv, isEndless } = typeof line === 'string' ? { argv: line.split(' '), isEndless: false } : line;
  const signal = AbortSignal.timeout(isEndless ? 100 : limitMs);
  const env = { XDG_STATE_HOME: join(top, 'state'), EDITOR: 'true' };
  const { code, stdout, stderr } = await run(argv, { folder, env, cwd, signal });
  const about = `${argv.join(' ')} on ${folder}\n${stderr}`;
  if (!isEndless) expect(signal.aborted, about).toBe(false);
  expect([0, 1, 2, 3, 4, 5, ...(isEndless ? [130] : [])], about).toContain(code);
  expect(stderr, about).not.toMatch(/INTERNAL|unexpected error|\n\s+at /);
  expect(rawControl.exec(stdout)?.[0], about).toBeUndefined();
  expect(rawControl.exec(stderr)?.[0], about).toBeUndefined();
}

const reading = [
  'get ippools -o wide',
  'get ipamblocks -o wide',
  'get ipamhandles -o json',
  'get blockaffinities -o yaml',
  'get nodes -o wide',
  'get workloadendpoints -A -o wide',
  'ipam show --show-blocks',
  'ipam show --map',
  'ipam show --ip 10.60.0.1 -o json',
  'ipam check',
  'ipam check -o json',
  'ipam check -o junit',
  'ipam check --fix --dry-run',
  'ipam capacity',
  'ipam configure show',
  'ipam affinity list -o wide',
  'node bgp --desired',
  'version',
];

/** What the files hold that examples name, before it is damaged. */
const manifest = `apiVersion: projectcalico.org/v3
kind: IPPool
metadata:
  name: default-pool
spec:
  cidr: 10.60.0.0/24
  blockSize: 29
`;

describe('damaged directories', () => {
  let lines: readonly CommandLine[];
  beforeAll(async () => {
    lines = await everyCommandLine();
  });

  it.each(Array.from({ length: folders }, (_, index) => index + 1))(
    'every reading command on directory %i',
    async (seed) => {
      const folder = damagedFolder(seed);
      const before = stateOf(top);
      for (const line of reading) await behaves(line, folder);
      expect(stateOf(top)).toBe(before);
      // Others may write into the folder, the journal and the working directory, and nowhere else.
      const own = [folder, join(top, 'state'), join(top, 'work')];
      const outside = (): string =>
        stateOf(top)
          .split('\n')
          .filter((one) => !own.some((path) => one.startsWith(path)))
          .join('\n');
      const others = outside();
      const random = seeded(2000 + seed);
      writeNamedFiles(join(top, 'work'), lines, mutateText(manifest, random));
      const chosen = oneOfEach(lines, (count) => below(random, count)).map((line) => ({ line, at: random() }));
      expect(chosen.length).toBeGreaterThan(20);
      for (const { line } of chosen.sort((a, b) => a.at - b.at)) await behaves(line, folder, join(top, 'work'));
      await behaves('ipam check --fix', folder);
      expect(outside()).toBe(others);
    },
    limitMs * 3,
  );
});

/** A snapshot of three nodes with all answers. */
const recorded = join(import.meta.dirname, '..', '..', 'docs', 'examples', 'bgp-faults', 'healthy');

function damagedSnapshot(seed: number): string {
  const random = seeded(1000 + seed);
  const target = join(top, `snapshot-${seed}`);
  cpSync(recorded, target, { recursive: true });
  for (let count = 1 + below(random, 3); count > 0; count--) {
    const place = join(target, 'nodes', pick(random, ['node-a', 'node-b', 'node-c']));
    const path = join(place, pick(random, readdirSync(place)));
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const text = readFileSync(path, 'utf8');
    const damages: readonly (() => void)[] = [
      () => writeFileSync(path, mutateText(text, random)),
      () => writeFileSync(path, mutateText(mutateText(text, random), random)),
      () => rmSync(path),
      () => {
        rmSync(path);
        execFileSync('mkfifo', [path]);
      },
      () => {
        rmSync(path);
        symlinkSync('/etc/hostname', path);
      },
    ];
    pick(random, damages)();
  }
  return target;
}

describe('damaged snapshots', () => {
  let lines: readonly CommandLine[];
  beforeAll(async () => {
    lines = await everyCommandLine(({ path }) => path[0] === 'node');
  });

  it.each(Array.from({ length: snapshots }, (_, index) => index + 1))(
    'every node command on snapshot %i',
    async (seed) => {
      const folder = damagedSnapshot(seed);
      const before = stateOf(top);
      for (const command of [
        'node status',
        'node status -o json',
        'node bgp',
        'node routes',
        'node verify',
        'node exec node-a -- birdcl show status',
      ]) {
        await behaves(command, folder);
      }
      const random = seeded(3000 + seed);
      const chosen = oneOfEach(lines, (count) => below(random, count));
      expect(chosen.length).toBeGreaterThan(6);
      expect(stateOf(top)).toBe(before);
      // A capture may be written there.
      for (const line of chosen) await behaves(line, folder, join(top, 'work'));
    },
    limitMs * 3,
  );
});
