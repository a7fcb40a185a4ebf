// The main job on the embedded store: look, check, dry-run, repair, check again. Run with `npm run demo`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const calictl = fileURLToPath(new URL('../../bin/calictl.js', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'calictl-demo-'));
cpSync(fileURLToPath(new URL('./leaky-cluster', import.meta.url)), join(scratch, 'cluster'), { recursive: true });

/** Commands with the exit code that each must end with: 3 says that something was found. */
const steps = [
  [['get', 'ipamblocks', '-o', 'wide'], 0],
  [['ipam', 'show'], 0],
  [['ipam', 'check'], 3],
  [['ipam', 'check', '--fix', '--dry-run'], 3],
  [['ipam', 'check', '--fix', '--yes', '--journal', 'journal.jsonl'], 3],
  [['ipam', 'check'], 3],
];

let wrong = 0;
for (const [args, expected] of steps) {
  const shown = ['calictl', '--datastore', 'cluster', ...args].join(' ');
  process.stdout.write(`\n$ ${shown}\n`);
  const { status } = spawnSync(process.execPath, [calictl, '--datastore', 'cluster', ...args], { cwd: scratch, stdio: 'inherit' });
  process.stdout.write(`(exit ${status})\n`);
  if (status !== expected) wrong += 1;
}
rmSync(scratch, { recursive: true });
process.exitCode = wrong === 0 ? 0 : 1;
