// docs/index.md is complete: every page of docs is in it, by itself or by its folder, and every link of a page leads to a
// file, and to a heading of it where the link names one.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, root } from '../support/pages/command-lines.ts';

const docs = join(root, 'docs');
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
const read = (path: string): string => readFileSync(join(docs, path), 'utf8');

/** Targets of the links of a page that lead into the repository, relative to the page. */
function linksOf(page: string): string[] {
  let prose = page;
  for (const { text } of codeBlocks(page)) prose = prose.replace(text, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a page's headings, as they are made on GitHub. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it('docs/index.md lists every page of docs, or the directory that it is in', () => {
  const targets = linksOf(read('index.md'));
  const unlisted = pages.filter(
    (path) => path !== 'index.md' && !targets.includes(path) && !targets.includes(`${dirname(path)}/`),
  );
  expect(unlisted).toEqual([]);
});

describe('links of the documentation', () => {
  it.each([...pages.map((page) => join('docs', page)), 'README.md'])('the links of %s lead somewhere', (path) => {
    const broken = linksOf(readFileSync(join(root, path), 'utf8')).filter((link) => {
      const [target = '', anchor] = link.split('#');
      const file = target === '' ? join(root, path) : join(root, dirname(path), target);
      if (!existsSync(file) || relative(root, file).startsWith('..')) return true;
      if (anchor === undefined || statSync(file).isDirectory()) return false;
      const text = readFileSync(file, 'utf8');
      return !anchorsOf(text).includes(anchor) && !text.includes(`id="${anchor}"`);
    });
    expect(broken).toEqual([]);
  });
});
