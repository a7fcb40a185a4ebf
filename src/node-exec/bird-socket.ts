// A client of BIRD's control socket: one question, the lines of its reply. What they mean is in datapath/bird.
import { connect } from 'node:net';
import { CalictlError } from '../world/errors.ts';

const connectTexts: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ECONNREFUSED: 'connection refused',
  EACCES: 'permission denied',
  ENOTSOCK: 'socket operation on non-socket',
};

/** Nobody listens there, in Go's words. */
function notConnected(path: string, error: NodeJS.ErrnoException): CalictlError {
  const text = connectTexts[error.code ?? ''] ?? error.message;
  return new CalictlError(`dial unix ${path}: connect: ${text}`, {
    code: 'BIRD_UNCONNECTED',
    hint: 'is BIRD running?',
    cause: error,
  });
}

/** The last line of a reply has a space after its code, all others a dash; the greeting is no reply. */
const isLast = (line: string): boolean => /^\d{4} /.test(line) && !line.startsWith('0001');

/**
 * What the daemon behind the socket replies to `show protocols`: lines with their codes, the greeting among them; all
 * that came, when it closes the connection first. `timeoutMs` is the longest silence.
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
