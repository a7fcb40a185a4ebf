// The program as a process: the only reader of `process`, the clock and randomness. Builds a World, runs the command line.
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { isSea } from 'node:sea';
import { isPluginName } from './cli/plugin-name.ts';
import { processIdentity } from './cli/process-identity.ts';
import { exitCodes, systemText } from './world/errors.ts';
import type { Clock, InputStream, OutputStream, Random, World } from './world/world.ts';

type NodeOutput = NodeJS.WriteStream;

interface ProcessOutput extends OutputStream {
  flush(): Promise<void>;
  /** Why not everything was written (a full disk); a closed pipe is not a failure. */
  failure(): Error | undefined;
}

/** Writing to a pipe that nobody reads any more does nothing; after a failure too, for a repair must go on to its end. */
function outputStream(stream: NodeOutput, noColour: boolean): ProcessOutput {
  const gone = new AbortController();
  let failure: Error | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EOF') failure ??= error;
    gone.abort();
  });
  const isTerminal = stream.isTTY === true;
  const written = (text: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      stream.write(text, () => resolve());
    });
  return {
    isTerminal,
    get columns() {
      return stream.columns || 80;
    },
    colour: isTerminal && !noColour,
    async write(text) {
      if (!gone.signal.aborted && text.length > 0 && !stream.write(text)) await written('');
    },
    async flush() {
      if (!gone.signal.aborted && stream.writableLength > 0) await written('');
    },
    gone: gone.signal,
    failure: () => failure,
  };
}

function inputStream(stream: NodeJS.ReadStream, signal: AbortSignal): InputStream {
  let text = '';
  let ended = false;
  const more = (): Promise<void> =>
    new Promise((resolve) => {
      const done = (chunk?: string): void => {
        for (const name of ['data', 'end', 'error']) stream.off(name, done);
        signal.removeEventListener('abort', interrupted);
        stream.pause();
        if (typeof chunk === 'string') text += chunk;
        else ended = true;
        resolve();
      };
      const interrupted = (): void => done();
      for (const name of ['data', 'end', 'error']) stream.once(name, done);
      signal.addEventListener('abort', interrupted);
      stream.setEncoding('utf8').resume();
    });
  return {
    isTerminal: stream.isTTY === true,
    async readAll() {
      while (!ended) await more();
      const all = text;
      text = '';
      return all;
    },
    async readLine() {
      while (!ended && !text.includes('\n')) await more();
      const end = text.indexOf('\n');
      const line = end < 0 ? text : text.slice(0, end).replace(/\r$/, '');
      if (end < 0 && line === '') return undefined;
      text = end < 0 ? '' : text.slice(end + 1);
      return line;
    },
  };
}

const clock: Clock = {
  now: () => new Date(),
  nowNs: () => BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const aborted = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      }, ms);
      signal?.addEventListener('abort', aborted, { once: true });
    }),
};

const random: Random = {
  uuid: () => crypto.randomUUID(),
  float: () => Math.random(),
};

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** True while a read is under way that may never return, of a pipe that nobody writes into: process.exit would wait for it. */
function waitsForFiles(): boolean {
  return process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'));
}

/** Ends the process by the signal of Ctrl-C, which a shell shows as 130; process.exit waits for reads that were begun. */
function die(): void {
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
}

async function main(): Promise<void> {
  const { env } = process;
  const noColour = Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb';
  const stdout = outputStream(process.stdout, noColour);
  const stderr = outputStream(process.stderr, noColour);
  const interruption = new AbortController();
  let terminalIsLent = false;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (terminalIsLent && name === 'SIGINT') return;
      // The first asks the command to stop at the next good place, the second does not ask.
      if (interruption.signal.aborted) die();
      interruption.abort(new DOMException('interrupted', 'AbortError'));
    });
  }

  let stdin: InputStream | undefined;
  const world: World = {
    programName: basename(process.argv[1] ?? 'calictl').replace(/\.js$/, ''),
    // Of an executable, argv[1] is only the name that it was called by.
    programPath: isSea() ? process.execPath : (process.argv[1] ?? process.execPath),
    env,
    cwd: process.cwd(),
    platform: process.platform,
    io: {
      get stdin() {
        stdin ??= inputStream(process.stdin, interruption.signal);
        return stdin;
      },
      stdout,
      stderr,
    },
    clock,
    random,
    self: processIdentity(process.pid, hostname, () => Math.round(performance.timeOrigin), pidExists),
    signalGroup(leader, signal) {
      try {
        process.kill(-leader, signal);
      } catch {
        // It is gone already.
      }
    },
    async lendTerminal(work) {
      terminalIsLent = true;
      try {
        return await work();
      } finally {
        terminalIsLent = false;
      }
    },
    signal: interruption.signal,
  };
  const { programName } = world;
  const argv = process.argv.slice(2);
  // Each loads only what it needs: a runtime waits for the plugin.
  const code = isPluginName(programName)
    ? await (await import('./cli/cni.ts')).runAsPlugin(programName, argv, world)
    : await (await import('./cli/run-cli.ts')).runCli(argv, world);
  await stdout.flush();
  const failure = stdout.failure();
  if (failure !== undefined) await stderr.write(`calictl: standard output was not written: ${systemText(failure)}\n`);
  await stderr.flush();
  if (interruption.signal.aborted && waitsForFiles()) die();
  process.exit(failure === undefined ? code : exitCodes.failed);
}

main();
