// Snapshots with random damage, and every node command: no unexpected error, no endless wait, no raw control character in what is
// printed, and no write outside of what was named. Few snapshots by default; LONG=1 for all.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../support/clusters/seeded-cluster.ts';
import { below, mutateText, pick } from '../support/program/damaged-texts.ts';
import { type CommandLine, everyCommandLine, oneOfEach } from '../support/program/every-command.ts';
import { limitMs, watchedPlace } from '../support/program/watched-place.ts';

const count = process.env['LONG'] ? 100 : 10;
const place = watchedPlace('calictl-mutated-snapshots-');

/** A snapshot of three nodes with all answers. */
const recorded = join(import.meta.dirname, '..', '..', 'docs', 'examples', 'bgp-faults', 'healthy');

/** A copy in which one to three files are changed, missing, or no regular files: mostly answers of nodes, sometimes objects. */
function damagedSnapshot(seed: number): string {
  const random = seeded(1000 + seed);
  const target = place.at(`snapshot-${seed}`);
  cpSync(recorded, target, { recursive: true });
  for (let changes = 1 + below(random, 3); changes > 0; changes--) {
    const directory = random() < 0.1 ? target : join(target, 'nodes', pick(random, ['node-a', 'node-b', 'node-c']));
    const path = join(directory, pick(random, readdirSync(directory)));
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

const alwaysRun = [
  'node status',
  'node status -o json',
  'node bgp',
  'node routes',
  'node verify',
  'node exec node-a -- birdcl show status',
];

describe(`every node command on ${count} damaged snapshots`, () => {
  let lines: readonly CommandLine[];
  beforeAll(async () => {
    lines = await everyCommandLine(({ path }) => path[0] === 'node');
  });

  it.each(Array.from({ length: count }, (_, index) => index + 1))(
    `snapshot %i of ${count}, damaged: every node command answers, and writes nowhere else than it should`,
    async (seed) => {
      const snapshot = damagedSnapshot(seed);
      const before = place.stateWithout('work');
      const random = seeded(3000 + seed);
      const chosen = oneOfEach(lines, (all) => below(random, all));
      expect(chosen.length).toBeGreaterThan(6);
      for (const line of alwaysRun) await place.behaves(line, snapshot);
      // A capture may be written into the working directory.
      for (const line of chosen) await place.behaves(line, snapshot, 'work');
      expect(place.stateWithout('work')).toBe(before);
    },
    limitMs * 3,
  );
});
