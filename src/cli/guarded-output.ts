// The last guard of standard output and standard error: whatever text a renderer made, no character of it steers the terminal.
// Bytes are passed on as they are: what a program on a node printed into a file or a pipe, packets, archives.
import { withoutSteering, withoutSteeringBesidesColours } from '../text/steering.ts';
import type { OutputStream, World } from '../world/world.ts';

/** Paths of temporary folders, and what is shown in their place: the bundle that was unpacked there. */
export class ShownPaths {
  readonly #names = new Map<string, string>();

  add(path: string, shown: string): void {
    this.#names.set(path, shown);
  }

  in(text: string): string {
    let changed = text;
    for (const [path, shown] of this.#names) changed = changed.replaceAll(path, () => shown);
    return changed;
  }
}

class GuardedOutput implements OutputStream {
  readonly #stream: OutputStream;
  readonly #guard: (text: string) => string;
  readonly #paths: ShownPaths;

  constructor(stream: OutputStream, paths: ShownPaths) {
    this.#stream = stream;
    this.#guard = stream.colour ? withoutSteeringBesidesColours : withoutSteering;
    this.#paths = paths;
  }

  get isTerminal(): boolean {
    return this.#stream.isTerminal;
  }

  get columns(): number {
    return this.#stream.columns;
  }

  get colour(): boolean {
    return this.#stream.colour;
  }

  get gone(): AbortSignal {
    return this.#stream.gone;
  }

  write(text: string | Uint8Array): Promise<void> {
    return this.#stream.write(typeof text === 'string' ? this.#guard(this.#paths.in(text)) : text);
  }
}

/**
 * The world with both output streams guarded. Escapes are those of JSON, so that a JSON document stays the same value. As
 * calicoctl, standard output keeps calicoctl's bytes where it is not a terminal: its documents are for programs. `paths` may
 * get more paths later.
 */
export function guardedWorld(world: World, asCalicoctl: boolean, paths: ShownPaths = new ShownPaths()): World {
  const { io } = world;
  const stdout = asCalicoctl && !io.stdout.isTerminal ? io.stdout : new GuardedOutput(io.stdout, paths);
  const stderr = new GuardedOutput(io.stderr, paths);
  return {
    ...world,
    io: {
      // Opened on first use.
      get stdin() {
        return io.stdin;
      },
      stdout,
      stderr,
    },
  };
}
