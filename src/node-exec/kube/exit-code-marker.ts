// The exit code of a command, printed on stderr by the node itself. An API server that loses the kubelet in the middle of a
// command reports success, so its exit code does not prove that the command ended.
import { supervisedArgv } from '../supervised.ts';

/** Waits for the command through the signals of its supervision, and prints its exit code. */
const script = `mark=$1
shift
trap : INT TERM
"$@"
printf '%s %s\\n' "$mark" "$?" >&2
`;

/**
 * The command that runs `argv` and prints its exit code behind the marker, which must be text that nothing else prints.
 * It is ended at the end of its input, which the connection keeps open as long as the command may run; a command that
 * reads its input (`readsInput`) is not.
 */
export function exitCodeMarkerArgv(marker: string, argv: readonly string[], readsInput: boolean): string[] {
  return ['sh', '-c', script, 'sh', marker, ...(readsInput ? argv : supervisedArgv(argv))];
}

/** Removes the marker from stderr and reads the exit code behind it. */
export class ExitCodeMarker {
  readonly #needle: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #exit: number | undefined;

  constructor(marker: string) {
    this.#needle = Buffer.from(`${marker} `);
  }

  /** The exit code, once it has arrived. */
  get exit(): number | undefined {
    return this.#exit;
  }

  /** The bytes that can be passed on now: all except what is, or may become, the marker. */
  pass(bytes: Buffer): Buffer {
    if (this.#exit !== undefined) return bytes;
    const all = Buffer.concat([this.#held, bytes]);
    const at = all.indexOf(this.#needle);
    const end = at < 0 ? -1 : all.indexOf('\n', at);
    if (end >= 0) {
      this.#exit = Number(all.toString('latin1', at + this.#needle.length, end));
      this.#held = Buffer.alloc(0);
      return Buffer.concat([all.subarray(0, at), all.subarray(end + 1)]);
    }
    const from = at < 0 ? all.length - this.#begun(all) : at;
    this.#held = all.subarray(from);
    return all.subarray(0, from);
  }

  /** What was held back, for the end of the stream. */
  rest(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }

  /** How many of the last bytes may be the beginning of the marker. */
  #begun(all: Buffer): number {
    let count = Math.min(this.#needle.length - 1, all.length);
    while (count > 0 && !this.#needle.subarray(0, count).equals(all.subarray(all.length - count))) count -= 1;
    return count;
  }
}
