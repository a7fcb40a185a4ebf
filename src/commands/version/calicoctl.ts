// `version` as calicoctl has it.
import { DatastoreError } from '../../datastore/datastore.ts';
import { parseGoDuration } from '../../text/go-duration.ts';
import { exitCodes, UsageError } from '../../world/errors.ts';
import { calicoctlText } from '../calicoctl-errors.ts';
import type { Context } from '../command.ts';
import type { CalicoctlVersionInput } from './command.ts';
import { label, readVersions, type Versions, versionsText } from './versions.ts';

function wording(error: unknown): string {
  const isMissing = error instanceof DatastoreError && error.reason === 'not-found';
  return calicoctlText(error, isMissing ? 'ClusterInformation(default)' : undefined);
}

export async function run(ctx: Context, { client, poll }: CalicoctlVersionInput): Promise<Versions> {
  const everyMs = poll === undefined ? 0 : parseGoDuration(poll);
  // calicoctl names the value that its parser left behind.
  if (everyMs === undefined) throw new UsageError('invalid poll duration specified: 0s', undefined, 'INVALID_DURATION');
  return readVersions(ctx, { client, everyMs, wording });
}

export const text = (versions: Versions): AsyncIterable<string> =>
  versionsText(label('Client Version:', versions.calico), versions);

export const exit = ({ errors: all }: Versions): number => (all.length > 0 ? exitCodes.failed : exitCodes.ok);

export const errors = (versions: Versions): readonly Error[] => versions.errors;
