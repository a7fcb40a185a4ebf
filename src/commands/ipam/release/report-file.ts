// Reading a report file that --from-report names.
import { resolve } from 'node:path';
import { readInputFile } from '../../../files/input-file.ts';
import type { World } from '../../../world/world.ts';

/** The largest text that a string of Node can hold is a little larger. */
const largestReport = 500 * 1024 ** 2;

/** The text of a report. Errors: those of readInputFile. */
export async function readReport({ cwd, signal }: Pick<World, 'cwd' | 'signal'>, file: string): Promise<string> {
  return (await readInputFile(resolve(cwd, file), largestReport, signal)).toString('utf8');
}
