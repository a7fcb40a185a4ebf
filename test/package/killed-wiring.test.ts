// calictl node wire killed at its steps, in real namespaces: the next run finishes what was begun or undoes it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Listing } from '../support/lab/full-listing.ts';
import { type Cut, type Listings, WiringPlace, wiringPrograms } from '../support/lab/wiring-place.ts';
import { runBuilt } from '../support/program/built-program.ts';
import { describeWithPrograms } from '../support/program/parts.ts';
import { type Ran, run } from '../support/program/world.ts';

const addresses = ['--ip', '10.65.0.2', '--ip', 'fd00:65::2'];
const others = ['--ip', '10.65.0.3', '--ip', 'fd00:65::3'];

describeWithPrograms('node wire that is killed', wiringPrograms, () => {
  let place: WiringPlace;
  let cuts: readonly Cut[];
  beforeAll(async () => {
    place = new WiringPlace('killed');
    expect((await next('wire', addresses)).code).toBe(0);
    const all = place.cuts('kill');
    const isLast = ({ process, done }: Cut): boolean => !all.some((cut) => cut.process === process && cut.done > done);
    // Before the first step of each process and after its last; between any two with LONG.
    cuts = process.env['LONG'] ? all : all.filter((cut) => cut.done === 0 || isLast(cut));
  });
  afterAll(() => place?.remove());

  const next = (command: string, more: readonly string[] = []): Promise<Ran> =>
    run(place.argv(command, ...more), { env: { PATH: process.env['PATH'] ?? '' } });

  /** Indexes, by which lines are ordered, random MAC addresses and link-local addresses differ between two runs. */
  const comparableText = (line: string): string =>
    line
      .replace(/^\d+: /, '')
      .replaceAll(/@if\d+|link-net\S+ \S+/g, '')
      .replaceAll(/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/g, (mac) => (mac.startsWith('ee:ee') ? mac : 'MAC'))
      .replaceAll(/fe80::[0-9a-f:]+/g, (ip) => (ip === 'fe80::ecee:eeff:feee:eeee' ? ip : 'LL'));
  const comparableListing = (listing: Listing): Listing =>
    Object.fromEntries(Object.entries(listing).map(([part, lines]) => [part, lines.map(comparableText).sort()]));
  const comparable = ({ node, pod }: Listings): Listings => ({
    node: comparableListing(node),
    pod: comparableListing(pod),
  });

  async function cut(at: Cut): Promise<void> {
    place.replacePod();
    const { signal } = await runBuilt(place.argv('wire', ...addresses), { env: { PATH: place.cutPath(at) } });
    expect({ at, signal }).toEqual({ at, signal: 'SIGKILL' });
  }

  it('is finished by the next run that wants the same', async () => {
    place.replacePod();
    await next('wire', addresses);
    const whole = comparable(await place.listings());
    for (const at of cuts) {
      await cut(at);
      const { code, stdout } = await next('wire', [...addresses, '-o', 'json']);
      expect({ at, code }).toEqual({ at, code: 0 });
      expect(JSON.parse(stdout)).toMatchObject({ interrupted: 'finished' });
      expect({ at, ...comparable(await place.listings()) }).toEqual({ at, ...whole });
      expect(place.entries().at(-1)).toMatchObject({ phase: 'end', outcome: 'made' });
    }
  }, 300_000);

  it('is undone by the next run that wants something else', async () => {
    place.replacePod();
    await next('wire', others);
    const whole = comparable(await place.listings());
    for (const at of cuts) {
      await cut(at);
      const { code, stdout } = await next('wire', [...others, '-o', 'json']);
      expect({ at, code }).toEqual({ at, code: 0 });
      expect(JSON.parse(stdout)).toMatchObject({ interrupted: 'undone' });
      expect({ at, ...comparable(await place.listings()) }).toEqual({ at, ...whole });
    }
  }, 300_000);

  it('is undone by node unwire, to the last setting of the pod', async () => {
    for (const at of cuts) {
      place.replacePod();
      const before = await place.listings();
      const { signal } = await runBuilt(place.argv('wire', ...addresses), { env: { PATH: place.cutPath(at) } });
      expect({ at, signal }).toEqual({ at, signal: 'SIGKILL' });
      const { code, stdout } = await next('unwire', ['-o', 'json']);
      expect({ at, code }).toEqual({ at, code: 0 });
      expect(JSON.parse(stdout)).toMatchObject({ interrupted: 'undone' });
      expect({ at, ...(await place.listings()) }).toEqual({ at, ...before });
    }
  }, 300_000);

  it('leaves alone a newer pod of the same name', async () => {
    const [middle] = cuts.filter(({ process }) => process === 3) as [Cut, ...Cut[]];
    await cut(middle);
    const journal = place.entries();
    // The namespace of the killed run is gone, and with it the pair; a newer pod has an interface of the same name.
    place.newPod();
    const netns = place.pod.name;
    await run(
      [
        'node',
        'wire',
        '--netns',
        netns,
        '--via',
        `netns:${place.node.name}`,
        '--interface',
        'cali0123456789a',
        '--ip',
        '10.65.0.9',
        '--journal',
        `${place.folder}/other.jsonl`,
      ],
      {
        env: { PATH: process.env['PATH'] ?? '' },
      },
    );
    const before = await place.listings();
    expect(place.entries()).toEqual(journal);
    const { code, stdout } = await next('wire', ['--ip', '10.65.0.9']);
    expect(code).toBe(0);
    expect(stdout).toContain('undone first');
    expect(await place.listings()).toEqual(before);
    expect(place.entries().filter(({ phase }) => phase === 'undo')).toEqual([]);
  });

  it('a dry run says how the next run treats it, and changes nothing', async () => {
    const [middle] = cuts.filter(({ process }) => process === 3) as [Cut, ...Cut[]];
    await cut(middle);
    const before = [await place.listings(), place.entries()];
    const [same, other] = [
      await next('wire', [...addresses, '--dry-run']),
      await next('wire', [...others, '--dry-run']),
    ];
    expect(same.stdout).toContain('An earlier run was interrupted; this plan finishes it.');
    expect(other.stdout).toContain('An earlier run was interrupted; its changes are undone first.');
    expect([await place.listings(), place.entries()]).toEqual(before);
  });
});
