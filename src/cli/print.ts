// Printing what a renderer returned.
import type { Rendered } from '../commands/command.ts';
import type { OutputStream } from '../world/world.ts';

/** Prints a text, or its pieces as they become ready. */
export async function print(stream: OutputStream, rendered: Rendered): Promise<void> {
  if (typeof rendered === 'string') {
    if (rendered !== '') await stream.write(rendered);
    return;
  }
  for await (const piece of rendered) await stream.write(piece);
}
