// What calictl version does: shows this program, the Calico release that it follows, and the cluster.
import { jsonDocument } from '../../output/json-document.ts';
import { exitCodes } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import type { VersionInput } from './command.ts';
import { label, readVersions, type Versions, versionsText } from './versions.ts';

const wording = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function run(ctx: Context, { client, poll = 0 }: VersionInput): Promise<Versions> {
  return readVersions(ctx, { client, everyMs: poll, wording, namesFailure: true });
}

function plainData({ calictl, calico, commit, cluster }: Versions): unknown {
  return {
    client: { version: calictl, calico, commit },
    ...(typeof cluster === 'object' ? { cluster } : {}),
  };
}

/** Without a cluster no line can be taken for its version. */
async function* textOf(versions: Versions): AsyncIterable<string> {
  const program = label('Client Version:', versions.calictl) + label('Implements Calico:', versions.calico);
  if (versions.cluster !== 'undetected') return yield* versionsText(program, versions);
  yield* versionsText(program, { ...versions, cluster: undefined });
  yield label('Cluster Version:', 'unknown, because no datastore is configured');
}

export const formats = {
  text: textOf,
  json: (versions: Versions) => jsonDocument(plainData(versions)),
};

export const exit = ({ errors: all }: Versions): number => (all.length > 0 ? exitCodes.failed : exitCodes.ok);

export const errors = (versions: Versions): readonly Error[] => versions.errors;
