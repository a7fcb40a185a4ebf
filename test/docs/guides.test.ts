// The guides work as written from the root of the repository: each block of commands is run in order, and each transcript
// is what its commands print. WRITE_DOCS=1 writes the transcripts.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { argumentsOf, codeBlocks, parsedCommand, root, scratchRoot } from '../support/pages/command-lines.ts';
import { PageShell } from '../support/pages/transcript.ts';

const guides = join(root, 'docs', 'guides');

/** What a reader types without seeing what comes of it: run where it prepares the transcripts, else parsed. */
async function typed(block: string, shell: PageShell): Promise<void> {
  for (const line of block.split('\n')) {
    if (!(await shell.type(line)) && argumentsOf(line) !== undefined) await parsedCommand(line);
  }
}

/** Run as root in namespaces by test/package/pod-network-guide.test.ts. */
const elsewhere: readonly string[] = ['how-a-pod-gets-its-network.md'];

it.each(readdirSync(guides).filter((name) => !elsewhere.includes(name)))(
  'docs/guides/%s shows what its commands print in the root of the repository',
  async (name) => {
    const file = join(guides, name);
    const text = readFileSync(file, 'utf8');
    const cwd = scratchRoot();
    const shell = new PageShell(cwd);
    let actual = '';
    let end = 0;
    try {
      for (const { language, text: block, index } of codeBlocks(text)) {
        if (language !== 'console') {
          await typed(block, shell);
          continue;
        }
        actual += text.slice(end, index) + (await shell.replay(block));
        end = index + block.length;
      }
    } finally {
      rmSync(cwd, { recursive: true });
    }
    actual += text.slice(end);
    if (process.env['WRITE_DOCS']) writeFileSync(file, actual);
    else expect(actual).toBe(text);
  },
);
