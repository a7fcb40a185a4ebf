// The last guard of standard output and standard error: whatever text a renderer made, no character of it steers the terminal.
// Bytes are passed on as they are: what a program on a node printed into a file or a pipe, packets, archives.
import { withoutSteering, withoutSteeringBesidesColours } from '../text/steering.ts';
import type { OutputStream, World } from '../world/world.ts';

class GuardedOutput implements OutputStream {
  readonly #stream: OutputStream;
  readonly #guard: (text: string) => string;

  constructor(stream: OutputStream) {
    this.#stream = stream;
    this.#guard = stream.colour ? withoutSteeringBesidesColours : withoutSteering;
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
    return this.#stream.write(typeof text === 'string' ? this.#guard(text) : text);
  }
}

/**
 * The world with both output streams guarded. Escapes are those of JSON, so that a JSON document stays the same value. As
 * calicoctl, standard output keeps calicoctl's bytes where it is not a terminal: its documents are for programs.
 */
export function guardedWorld(world: World, asCalicoctl: boolean): World {
  const { io } = world;
  const stdout = asCalicoctl && !io.stdout.isTerminal ? io.stdout : new GuardedOutput(io.stdout);
  const stderr = new GuardedOutput(io.stderr);
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
