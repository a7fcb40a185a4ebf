// What Calico's renderer made of sets of objects: one set per line, its files without comments and blank lines.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { BirdFileName } from '../../../src/bird-config/bird-files.ts';
import type { GeneratedSet } from './generated-set.ts';

export interface BirdRecording extends GeneratedSet {
  readonly files: Readonly<Record<BirdFileName, string>>;
}

export const recordingsPath = join(import.meta.dirname, '..', '..', 'fixtures', 'bird-render', 'confd-3.31.4.jsonl.gz');

/** The recordings of the fixture, in order. */
export const readRecordings = (): BirdRecording[] =>
  gunzipSync(readFileSync(recordingsPath))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as BirdRecording);

/** The contents of the fixture. */
export const recordingsFile = (recordings: readonly BirdRecording[]): Uint8Array =>
  gzipSync(recordings.map((recording) => `${JSON.stringify(recording)}\n`).join(''), { level: 9 });
