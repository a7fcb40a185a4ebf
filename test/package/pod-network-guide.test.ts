// The guide on the network of a pod shows what its commands print, as root, in namespaces that only the test sees: its own
// mounts hold them, and they end with it. WRITE_DOCS=1 writes the transcripts.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codeBlocks, root } from '../support/pages/command-lines.ts';
import { describeWithPrograms } from '../support/program/parts.ts';
import { runProgram } from '../support/program/run-program.ts';

const file = join(root, 'docs', 'guides', 'how-a-pod-gets-its-network.md');
const mark = '=== end of a command ===';

/** Runs in namespaces of its own for mounts and the name of the machine: those of the network are made below its /run. */
const preparation = `set -u
mount -t tmpfs tmpfs /run
mkdir -p /run/netns
hostname node-a
calictl() { "$NODE" "$ROOT/bin/calictl.js" "$@"; }
`;

describeWithPrograms(
  'docs/guides/how-a-pod-gets-its-network.md',
  ['ip', 'ping', 'sysctl', 'nsenter', 'unshare', 'mount'],
  () => {
    it('shows what its commands print', async () => {
      const text = readFileSync(file, 'utf8');
      const home = mkdtempSync(join(tmpdir(), 'calictl-guide-'));
      const blocks = codeBlocks(text);
      const lines = blocks.flatMap(({ language, text: block }) =>
        language === 'console'
          ? [...block.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) => `{ ${line}; } 2>&1 </dev/null\necho '${mark}'`)
          : [block],
      );
      try {
        const ran = await runProgram(
          [
            'unshare',
            '--mount',
            '--uts',
            'env',
            '-i',
            `PATH=${process.env['PATH']}:/usr/sbin:/sbin`,
            `HOME=${home}`,
            `NODE=${process.execPath}`,
            `ROOT=${root}`,
            'bash',
            '-s',
          ],
          `${preparation}${lines.join('\n')}\n`,
        );
        expect(ran).toMatchObject({ exit: 0, stderr: '' });
        const printed = ran.stdout.replaceAll(home, '/root').replaceAll(/ +$/gm, '').split(`${mark}\n`);
        let actual = '';
        let end = 0;
        for (const { language, text: block, index } of blocks) {
          if (language !== 'console') continue;
          actual += text.slice(end, index);
          for (const [, line = ''] of block.matchAll(/^\$ (.*)$/gm)) actual += `$ ${line}\n${printed.shift() ?? ''}`;
          end = index + block.length;
        }
        actual += text.slice(end);
        if (process.env['WRITE_DOCS']) writeFileSync(file, actual);
        else expect(actual).toBe(text);
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    }, 240_000);
  },
);
