// The log of a plugin: standard error and a file that is rotated; never standard output, which is the runtime's.
import { appendFileSync, mkdirSync, readdirSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { World } from '../world/world.ts';
import type { LogConf } from './protocol/net-conf.ts';

const levels = ['debug', 'info', 'warning', 'error'] as const;
type Level = (typeof levels)[number];

export type Log = Readonly<Record<Level, (text: string, fields?: Readonly<Record<string, unknown>>) => void>>;

/** Opens the log. What cannot be written is lost: no failure of the log ends a plugin. */
export function openLog(conf: LogConf, { io, clock, self }: Pick<World, 'io' | 'clock' | 'self'>): Log {
  const least = levels.indexOf(
    conf.level.toLowerCase() === 'debug' ? 'debug' : conf.level.toLowerCase() === 'error' ? 'error' : 'info',
  );
  const write = (level: Level): Log[Level] => {
    if (levels.indexOf(level) < least) return () => undefined;
    return (text, fields = {}) => {
      const extra = Object.entries(fields).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
      const line = `${clock.now().toISOString()} [${level.toUpperCase()}][${self.pid}] ${text}${extra.join('')}\n`;
      void io.stderr.write(line);
      if (conf.path !== '') append(conf, line, clock.now());
    };
  };
  return { debug: write('debug'), info: write('info'), warning: write('warning'), error: write('error') };
}

function append(conf: LogConf, line: string, now: Date): void {
  try {
    mkdirSync(dirname(conf.path), { recursive: true, mode: 0o755 });
    rotate(conf, line.length, now);
    appendFileSync(conf.path, line, { mode: 0o644 });
  } catch {
    // It is on standard error.
  }
}

/** Moves a full file out of the way, `cni.log` to `cni-TIME.log`, and removes those that are too many or too old. */
function rotate({ path, maxSize, maxAge, maxCount }: LogConf, more: number, now: Date): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined || !file.isFile() || file.size + more <= maxSize * 2 ** 20) return;
  const extension = extname(path);
  const stem = basename(path, extension);
  const time = now.toISOString().replace(/:/g, '-').replace('Z', '');
  renameSync(path, join(dirname(path), `${stem}-${time}${extension}`));
  const old = readdirSync(dirname(path))
    .filter((name) => isRotated(name, stem, extension))
    .sort()
    .reverse();
  old.forEach((name, index) => {
    const full = join(dirname(path), name);
    const days = (now.getTime() - statSync(full).mtimeMs) / 86_400_000;
    if (index >= maxCount || days > maxAge) unlinkSync(full);
  });
}

/** Files of other programs may begin like the log. */
function isRotated(name: string, stem: string, extension: string): boolean {
  const time = name.slice(stem.length + 1, name.length - extension.length);
  return name === `${stem}-${time}${extension}` && /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/.test(time);
}
