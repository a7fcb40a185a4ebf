// bird render next to Calico's own renderer, on generated sets of objects in one cluster: the six files are the same.
import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { birdFileNames } from '../../../src/bird-config/bird-files.ts';
import { complaintsOfBird } from '../../support/bird/bird-parser.ts';
import { type GeneratedSet, generatedSet, serversOwn } from '../../support/bird/generated-set.ts';
import { type BirdRecording, recordingsFile, recordingsPath } from '../../support/bird/recordings.ts';
import { hasReferenceRenderer, referenceFiles } from '../../support/bird/reference-renderer.ts';
import { renderedSet, statements } from '../../support/bird/render-set.ts';
import { describeWithPrograms } from '../../support/program/parts.ts';
import { type ApiServer, describeWithApiServer } from '../../support/servers/api-server.ts';

const { env } = process;
const recording = env['RECORD_BIRD'] ? 60 : undefined;
const sets = recording ?? Number(env['BIRD_SETS'] ?? (env['LONG'] ? 400 : 15));
const firstSeed = Number(env['BIRD_SEED'] ?? 1);

describe.skipIf(!hasReferenceRenderer)('next to confd (skipped unless CALICO_CONFD names it)', () => {
  describeWithPrograms('with BIRD', ['bird', 'bird6'], () => {
    describeWithApiServer('on Kubernetes', (server) => {
      const recordings: BirdRecording[] = [];
      afterAll(() => {
        if (recording !== undefined) writeFileSync(recordingsPath, recordingsFile(recordings));
      });

      it.each(Array.from({ length: sets }, (_, at) => firstSeed + at))(
        'bird render and confd write the same files for set %i, and BIRD refuses those that calictl says it does',
        async (seed) => {
          const set = generatedSet(seed);
          await replaceObjects(server(), set);
          const theirs = await referenceFiles(set.node, set.environment, server().kubeconfig);
          const recorded = birdFileNames.map((file) => [file, `${statements(theirs[file]).join('\n')}\n`]);
          recordings.push({ ...set, files: Object.fromEntries(recorded) as BirdRecording['files'] });
          const { files, remarks } = renderedSet(set);
          for (const file of birdFileNames) expect(statements(files[file]), file).toEqual(statements(theirs[file]));
          const refused = remarks.filter((one) => one.refused);
          expect(complaintsOfBird(files).length > 0, JSON.stringify([complaintsOfBird(files), refused])).toBe(
            refused.length > 0,
          );
        },
        60_000,
      );
    });
  });
});

const kindsInSets = [
  ...['BGPConfiguration', 'BGPFilter', 'BGPPeer', 'BlockAffinity', 'IPPool', 'Node', 'Secret'],
  ...['EndpointSlice', 'Service'],
];

async function replaceObjects({ admin }: ApiServer, { objects }: GeneratedSet): Promise<void> {
  for (const kind of kindsInSets) await admin.deleteAll(kind);
  await admin.load(objects.filter((one) => !serversOwn.includes(one)));
}
