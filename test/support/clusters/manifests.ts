// Manifests of fixtures as objects, read by the yaml package and not by the code under test.
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../src/resources/object.ts';

/** Integers beyond 2^53 are bigint, all others numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const small = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
    return small ? Number(value) : value;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function documents(file: string): unknown[] {
  return parseAllDocuments(readFileSync(file, 'utf8'), { intAsBigInt: true }).map((document) => {
    if ('errors' in document && document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]?.message}`);
    return plain(document.toJS());
  });
}

/** The one document of a file. */
export const readYaml = (file: string): unknown => documents(file)[0];

/** All objects in a folder's files, in the order of the files' names; other documents are ignored. */
export function readManifests(folder: string): KubeObject[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => documents(`${folder}/${file}`))
    .filter((document): document is KubeObject => (document as KubeObject | null)?.apiVersion !== undefined);
}
