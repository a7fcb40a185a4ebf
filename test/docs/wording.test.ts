// The words of the project, wherever people read them: comments, texts of commands, names of tests, pages.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oddPhrases, oddPhrasesIn } from '../support/pages/odd-phrases.ts';
import { sourceTexts } from '../support/pages/source-texts.ts';

const root = join(import.meta.dirname, '..', '..');
/** Texts of calicoctl, which calictl repeats to the byte. */
const calicoctlTexts = /^src\/(?:cli\/calicoctl\/|.*\/calicoctl(?:-\w+)?\.ts$)/;
/** Texts of compat mode's help that are in files with other texts; they do not change. */
const keptTexts: readonly string[] = [
  'only logs that are newer, like 10s, 5m or 1h',
  'nodes whose pods are taken first, with commas',
  "folder of Calico's logs",
  'Show objects.\n' +
    'KIND is a kind of Calico (ippool, node, bgppeer, workloadendpoint, …) or of its IPAM (ipamblock, ipamhandle, ' +
    'blockaffinity, ipamconfig), singular or plural. Without NAME all objects of the kind are shown. Beside ps, wide, ' +
    'yaml, json and name, -o takes custom-columns=HEADING,HEADING.',
];
const keptSeen = new Set<string>();
function isKept(text: string): boolean {
  if (keptTexts.includes(text)) keptSeen.add(text);
  return keptTexts.includes(text);
}

/** Where the phrases themselves are listed. */
const lists = ['test/support/pages/odd-phrases.ts'];

interface Said {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly isComment?: boolean;
}

function textsOf(path: string): Said[] {
  const source = readFileSync(join(root, path), 'utf8');
  if (/\.(?:ts|js|mjs)$/.test(path)) {
    return sourceTexts(path, source)
      .filter(({ kind }) => kind !== 'string' || !(path.startsWith('test/') || calicoctlTexts.test(path)))
      .filter(({ text }) => !isKept(text))
      .map(({ line, text, kind }) => ({ path, line, text, isComment: kind === 'comment' }));
  }
  const isScript = /\.sh$|^\.ci\//.test(path);
  return source
    .split('\n')
    .map((text, index) => ({ path, line: index + 1, text, isComment: isScript }))
    .filter(({ text }) => !isScript || text.startsWith('#'));
}

const said = execFileSync('git', ['ls-files', '*.ts', '*.js', '*.mjs', '*.md', '*.sh', '.ci', '.config'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith('test/fixtures/') && !lists.includes(path))
  .flatMap(textsOf);

/** The part of the project that a file belongs to: `src/ipam`, `src/commands/node`, `test/net`, `docs/guides`, `README.md`. */
function areaOf(path: string): string {
  const folders = dirname(path).split('/');
  return folders[0] === '.' ? path : folders.slice(0, folders[1] === 'commands' ? 3 : 2).join('/');
}

const areas = [...new Set(said.map(({ path }) => areaOf(path)))].sort();

describe('wording', () => {
  it.each(oddPhrases.map((one) => [one.odd, one] as const))(
    'finds "%s", and has nothing against how to say it',
    (odd, one) => {
      expect(oddPhrasesIn(odd).map(({ phrase }) => phrase)).toContain(one);
      expect(oddPhrasesIn(one.plain)).toEqual([]);
    },
  );

  it('reads comments, texts and names of tests in every part of the project', () => {
    const expected = ['README.md', 'bin', '.config', '.ci', 'docs/guides', 'src/cli', 'src/commands/node', 'test/net'];
    expect(areas).toEqual(expect.arrayContaining(expected));
    expect(said.length).toBeGreaterThan(20_000);
    expect([...keptSeen].sort()).toEqual([...keptTexts].sort());
  });

  it.each(areas)('%s has no odd phrase (test/support/pages/odd-phrases.ts)', (area) => {
    const found = said
      .filter(({ path }) => areaOf(path) === area)
      .flatMap(({ path, line, text, isComment }) =>
        oddPhrasesIn(text, isComment).map(
          ({ words, phrase }) => `${path}:${line}: "${words}"; rather like "${phrase.plain}"`,
        ),
      );
    expect(found).toEqual([]);
  });
});
