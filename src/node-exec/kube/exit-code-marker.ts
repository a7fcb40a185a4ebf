// The exit code of a command, said by the node itself on stderr. An API server that loses a kubelet in the middle of a
// command calls that a success, so the code that it tells is no proof that the command came to its end.
import { supervisedArgv } from '../supervised.ts';

/** Waits for the command through the signals of a supervisor, and says its exit code. */
const script = `mark=$1
shift
trap : INT TERM
"$@"
printf '%s %s\\n' "$mark" "$?" >&2
`;

/**
 * The command that runs `argv` and says its exit code behind the marker: a text that nothing else prints. It ends with
 * its input, which the connection keeps open as long as the command may run; a command that reads the input itself
 * (`readsInput`) is ended by nothing else.
 */
export function exitCodeMarkerArgv(marker: string, argv: readonly string[], readsInput: boolean): string[] {
  return ['sh', '-c', script, 'sh', marker, ...(readsInput ? argv : supervisedArgv(argv))];
}

/** Takes the mark out of what comes on stderr. */
export class ExitCodeMarker {
  readonly #needle: Buffer;
  #held: Buffer = Buffer.alloc(0);
  #exit: number | undefined;

  constructor(marker: string) {
    this.#needle = Buffer.from(`${marker} `);
  }

  /** The exit code, as soon as it was said. */
  get exit(): number | undefined {
    return this.#exit;
  }

  /** What of these bytes can be passed on now: all but what is, or may become, the mark. */
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

  /** What was held back at the end of the stream. */
  rest(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }

  /** How many of the last bytes are the beginning of the needle. */
  #begun(all: Buffer): number {
    let count = Math.min(this.#needle.length - 1, all.length);
    while (count > 0 && !this.#needle.subarray(0, count).equals(all.subarray(all.length - count))) count -= 1;
    return count;
  }
}
