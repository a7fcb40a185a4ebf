// A real browser for suites that look at pages: Chromium or Chrome, headless, on a file.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

const { env } = process;
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function browserPath(): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter);
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [env['CHROME_PATH'] ?? '', ...places].find((place) => place !== '' && existsSync(place));
}

/** `describe` for suites that need a browser; skipped without one, even with CI set: not every machine can have one. */
export function describeWithBrowser(name: string, suite: () => void): void {
  if (browserPath() !== undefined) describe(name, suite);
  else describe.skip(`${name}: no browser on PATH or at $CHROME_PATH, get one with: apt-get install chromium`, suite);
}

/** Runs the browser on a file with these options (`--dump-dom`, `--screenshot=…`); returns its output. */
export function browse(file: string, options: readonly string[]): string {
  const profile = mkdtempSync(join(tmpdir(), 'calictl-browser-'));
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic'];
  const fixed = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', ...quiet];
  try {
    const ran = spawnSync(
      browserPath() ?? 'chromium',
      [...fixed, `--user-data-dir=${profile}`, ...options, `file://${file}`],
      { encoding: 'utf8', maxBuffer: 2 ** 28, timeout: 90_000 },
    );
    if (ran.status !== 0) throw new Error(`the browser ended with ${ran.status ?? ran.signal}: ${ran.stderr}`);
    return ran.stdout;
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
