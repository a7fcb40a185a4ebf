// Directories with random damage, and every command: no unexpected error, no endless wait, no raw control character in what is
// printed, and no write outside of what was named. Each directory meets a fixed list of commands and one command line of every
// command of the program. Few directories by default; LONG=1 for all.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/resources/object.ts';
import { printJson } from '../../src/text/json.ts';
import { printYaml } from '../../src/text/yaml.ts';
import { damageOnce } from '../support/clusters/damage.ts';
import { cluster, seeded } from '../support/clusters/seeded-cluster.ts';
import { below, mutateText, pick, type Random } from '../support/program/damaged-texts.ts';
import { type CommandLine, everyCommandLine, oneOfEach, writeNamedFiles } from '../support/program/every-command.ts';
import { limitMs, watchedPlace } from '../support/program/watched-place.ts';

const count = process.env['LONG'] ? 300 : 16;
const place = watchedPlace('calictl-mutated-directories-');

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
  let inside: Record<string, unknown> | unknown[] = object as unknown as Record<string, unknown>;
  for (;;) {
    const keys: string[] = Object.keys(inside);
    if (keys.length === 0) return;
    const key = pick(random, keys);
    const members = inside as Record<string, unknown>;
    const value = members[key];
    if (typeof value === 'object' && value !== null && random() < 0.8) {
      inside = value as Record<string, unknown> | unknown[];
      continue;
    }
    if (random() < 0.2) delete members[key];
    else members[key] = pick(random, oddValues);
    return;
  }
}

/** Something that is not a manifest, with the name of one. */
function addOddFile(directory: string, random: Random): void {
  const path = join(directory, `odd.${pick(random, ['yaml', 'json', 'yml'])}`);
  const kinds: readonly (() => void)[] = [
    () => symlinkSync('nowhere', path),
    () => symlinkSync('/dev/zero', path),
    () => symlinkSync(path, path),
    () => execFileSync('mkfifo', [path]),
    () => mkdirSync(path),
    () => writeFileSync(path, Buffer.from([0xff, 0xfe, 0])),
    () => writeFileSync(path, '['.repeat(3000)),
    () => writeFileSync(path, 'kind: List\napiVersion: v1\nitems: 5\n'),
    () =>
      writeFileSync(join(directory, 'snapshot.json'), pick(random, ['', '[]', '{"capturedAt":5}', '{"complete":{}}'])),
    () => execFileSync('mkfifo', [join(directory, 'snapshot.json')]),
  ];
  pick(random, kinds)();
}

function damagedDirectory(seed: number): string {
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
  for (let changes = below(next, 4); changes > 0; changes--) mutateObject(pick(next, made.objects), next);
  const directory = place.at(`directory-${seed}`);
  mkdirSync(directory);
  for (const kind of new Set(made.objects.map((object) => String(object.kind)))) {
    const items = made.objects.filter((object) => String(object.kind) === kind);
    const list = { apiVersion: 'v1', kind: 'List', items };
    const [end, text] = next() < 0.5 ? ['json', printJson(list)] : ['yaml', printYaml(list)];
    const name = `${kind.replace(/[^A-Za-z]/g, '').slice(0, 40)}.${end}`;
    writeFileSync(join(directory, name), next() < 0.15 ? mutateText(text, next) : text);
  }
  if (next() < 0.3) addOddFile(directory, next);
  return directory;
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

describe(`every command on ${count} damaged directories`, () => {
  let lines: readonly CommandLine[];
  beforeAll(async () => {
    lines = await everyCommandLine();
  });

  it.each(Array.from({ length: count }, (_, index) => index + 1))(
    `directory %i of ${count}, damaged: every command answers, and writes nowhere else than it should`,
    async (seed) => {
      const directory = damagedDirectory(seed);
      const before = place.stateWithout();
      for (const line of reading) await place.behaves(line, directory);
      expect(place.stateWithout()).toBe(before);
      // Others may write into the datastore, the journal and the working directory, and nowhere else.
      const others = place.stateWithout(`directory-${seed}`, 'state', 'work');
      const random = seeded(2000 + seed);
      writeNamedFiles(place.at('work'), lines, mutateText(manifest, random));
      const chosen = oneOfEach(lines, (all) => below(random, all)).map((line) => ({ line, at: random() }));
      expect(chosen.length).toBeGreaterThan(20);
      for (const { line } of chosen.sort((a, b) => a.at - b.at)) await place.behaves(line, directory, 'work');
      await place.behaves('ipam check --fix', directory);
      expect(place.stateWithout(`directory-${seed}`, 'state', 'work')).toBe(others);
    },
    limitMs * 3,
  );
});
