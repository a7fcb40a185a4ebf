// The ssh_config settings of 1,000 hosts: read by this program, and by one `ssh -G` per host.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pMap from 'p-map';
import { readConfigFiles } from '../../src/node-exec/ssh/config-files.ts';
import { hostConfig } from '../../src/node-exec/ssh/host-config.ts';
import { testWorld } from '../support/program/world.ts';
import { resultTable, rounds } from './measure.ts';

const hosts = Array.from({ length: 1000 }, (_, i) => `10.90.${i >> 8}.${i & 255}`);

/** A few lines for all nodes, as most people have; or a block for each node, as generated files have. */
const configs = {
  'one Host block': ['Host 10.90.*', '  User root', '  IdentityFile ~/.ssh/nodes', '  ProxyJump gate'],
  '1,000 Host blocks': hosts.flatMap((host) => [`Host ${host}`, '  User root', '  ProxyJump gate']),
};

export async function benchSshConfig(count: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'calictl-bench-ssh-'));
  const world = testWorld({ env: { HOME: folder }, cwd: folder });
  const run = promisify(execFile);
  const parallel = availableParallelism();
  const tables: string[] = [];
  for (const [name, lines] of Object.entries(configs)) {
    const configFile = join(folder, 'config');
    writeFileSync(configFile, `${lines.join('\n')}\n`);
    const inProcess = (): void => {
      const entries = readConfigFiles({ configFile }, world);
      for (const host of hosts) hostConfig(entries, host, {}, world);
    };
    const timed = (work: () => unknown) => async () => {
      const began = performance.now();
      await work();
      return { ms: performance.now() - began };
    };
    const contenders = {
      calictl: timed(inProcess),
      [`ssh -G, ${parallel} at once`]: timed(() =>
        pMap(hosts, (host) => run('ssh', ['-F', configFile, '-G', host]), { concurrency: parallel }),
      ),
    };
    tables.push(resultTable(`ssh_config of 1,000 hosts, ${name}`, await rounds(contenders, count)));
  }
  rmSync(folder, { recursive: true });
  return `${tables.join('')}\n`;
}
