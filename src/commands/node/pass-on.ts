// What a program on a node prints, passed on to an output stream of calictl.
import type { OutputStream } from '../../world/world.ts';

/**
 * Takes the output of a program piece by piece. A file or a pipe gets its bytes; a terminal gets text, in which control
 * characters other than colours are shown as escapes: a node, or a recording of one, must not steer it.
 */
export function passedOnTo(stream: OutputStream): (bytes: Uint8Array) => Promise<void> {
  if (!stream.isTerminal) return (bytes) => stream.write(bytes);
  const decoder = new TextDecoder();
  return (bytes) => stream.write(decoder.decode(bytes, { stream: true }));
}
