// A client of BIRD's control socket: one command, the lines of its reply. They are parsed in node-state/bird.
import { connect } from 'node:net';
import { CalictlError } from '../world/errors.ts';

const connectTexts: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ECONNREFUSED: 'connection refused',
  EACCES: 'permission denied',
  ENOTSOCK: 'socket operation on non-socket',
};

/** The error for a socket without a listener, worded as Go does. */
function notConnected(path: string, error: NodeJS.ErrnoException): CalictlError {
  const text = connectTexts[error.code ?? ''] ?? error.message;
  return new CalictlError(`dial unix ${path}: connect: ${text}`, {
    code: 'BIRD_UNCONNECTED',
    hint: 'is BIRD running?',
    cause: error,
  });
}

/** The last line of a reply has a space after its code, the others a dash; the greeting (0001) is not part of a reply. */
const isLast = (line: string): boolean => /^\d{4} /.test(line) && !line.startsWith('0001');

/**
 * Returns the reply to `show protocols`: lines with their codes, including the greeting; a partial reply when the daemon
 * closes the connection early. `timeoutMs` limits how long the daemon may send nothing.
 * Errors: CalictlError `BIRD_UNCONNECTED`, `BIRD_SILENT`.
 */
export function showProtocols(path: string, timeoutMs: number): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    let rest = '';
    let connected = false;
    const lines: string[] = [];
    const socket = connect(path, () => {
      connected = true;
      socket.write('show protocols\n');
    });
    socket.setEncoding('utf8');
    socket.setTimeout(timeoutMs, () => {
      const message = `read unix @->${path}: i/o timeout`;
      socket.destroy(new CalictlError(message, { code: 'BIRD_SILENT', hint: 'is BIRD busy or stopped?' }));
    });
    socket.on('data', (text: string) => {
      const pieces = (rest + text).split('\n');
      rest = pieces.pop() ?? '';
      for (const line of pieces) {
        lines.push(line);
        if (isLast(line)) socket.destroy();
      }
    });
    socket.on('error', (error) => {
      if (error instanceof CalictlError) reject(error);
      else if (connected) resolve(lines);
      else reject(notConnected(path, error));
    });
    socket.on('close', () => {
      if (rest !== '') lines.push(rest);
      resolve(lines);
    });
  });
}
