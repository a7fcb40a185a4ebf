// The information in `snapshot.json`, which makes a directory a snapshot.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../../files/regular-file.ts';
import { type CalicoApi, v3ApiVersion } from '../../resources/kind.ts';
import { isObject } from '../../text/plain-values.ts';
import { systemText } from '../../world/errors.ts';
import { DatastoreError } from '../datastore.ts';
import { snapshotFile } from './folder.ts';
import { errorCode } from './fs-errors.ts';

/** What `snapshot.json` says of a snapshot. */
export interface SnapshotInfo {
  readonly capturedAt?: Date;
  /** The kinds of which all objects were saved. */
  readonly complete: ReadonlySet<string>;
  /** The API in which its cluster keeps Calico's objects; absent for crd.projectcalico.org/v1. */
  readonly calicoApi?: CalicoApi;
}

/** Errors: invalid for a file that is not as a snapshot has it. */
export async function readSnapshotFile(folder: string): Promise<SnapshotInfo> {
  const path = join(folder, snapshotFile);
  let text: string;
  try {
    text = (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    const gone = errorCode(error) === 'ENOENT' && (await lstat(path).catch(() => undefined)) === undefined;
    if (gone) return { complete: new Set() };
    throw new DatastoreError('unavailable', `cannot read ${path}: ${systemText(error)}`, {
      hint: 'Make it readable; without the file, the current time is used.',
      cause: error,
    });
  }
  const value = parsedJson(text);
  const { capturedAt, complete, calicoApi } = isObject(value) ? value : {};
  const date = capturedAt === undefined ? undefined : new Date(String(capturedAt));
  if (!isObject(value) || (date !== undefined && Number.isNaN(date.getTime()))) {
    throw new DatastoreError('invalid', `${path} does not say when the snapshot was captured`, {
      hint: 'It must hold {"capturedAt": "<RFC 3339 time>"}; without the file, the current time is used.',
    });
  }
  const kinds = Array.isArray(complete) ? complete.filter((kind) => typeof kind === 'string') : [];
  const isV3 = calicoApi === v3ApiVersion;
  return { ...(date && { capturedAt: date }), complete: new Set(kinds), ...(isV3 && { calicoApi: v3ApiVersion }) };
}

/** Undefined for invalid JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
