// Files of an installation: what each is to be, what is in its place, and the marks by which calictl recognises its own.
import { createHash } from 'node:crypto';
import { lstat, readlink } from 'node:fs/promises';
import { otherThanFile, readRegularFile } from '../../files/regular-file.ts';
import { CalictlError, systemText } from '../../world/errors.ts';

/** What is to be at a path: a file with a content, or a symbolic link. */
export type Content =
  | { readonly type: 'file'; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly type: 'link'; readonly target: string };

export interface WantedFile {
  readonly path: string;
  readonly content: Content;
  /** The program itself: it must run before it takes its place. */
  readonly isProgram?: true;
}

/** `sha256:…` of a file, `link:TARGET` of a symbolic link: calictl removes only what has the mark that it recorded. */
export type Mark = string;

export function markOf(content: Content): Mark {
  return content.type === 'link' ? `link:${content.target}` : markOfBytes(content.bytes);
}

function markOfBytes(bytes: Uint8Array): Mark {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** The mark of what is at the path, undefined for nothing. Errors: CalictlError for anything but a file or a link. */
export async function markAt(path: string): Promise<Mark | undefined> {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return `link:${await readlink(path)}`;
    const other = otherThanFile(stats);
    if (other === undefined) return markOfBytes(await readRegularFile(path));
    throw new CalictlError(`${path} is ${other}`, { code: 'NOT_A_FILE', hint: 'remove it, or choose another path' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof CalictlError) throw error;
    throw new CalictlError(`${path} cannot be read: ${systemText(error)}`, { code: 'UNREADABLE', cause: error });
  }
}
