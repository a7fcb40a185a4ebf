// How long a YAML file of many objects takes to read, and to read back after one of them was changed: by lines, as the
// program does it, and by the tokens of the package yaml, which give the same positions. docs/decisions/0008-yaml-positions.md.
import { Composer, type CST, Parser } from 'yaml';
import { printItem, printObject } from '../../src/manifest/edit-yaml.ts';
import { locateInYaml } from '../../src/manifest/locate-yaml.ts';
import { plainValue, YamlPieces, yamlOptions } from '../../src/manifest/parse-yaml.ts';
import { handle } from '../support/clusters/counter-handles.ts';
import { median } from './measure.ts';

const SIZES = [12_500, 50_000];
/** The larger file takes minutes. */
const ROUNDS_OF_LARGE = 3;

const styles: Readonly<Record<string, (count: number) => string>> = {
  documents: (count) => numbers(count, (n) => `---\n${printObject(handle(`h-${n}`))}`),
  'one List': (count) =>
    `apiVersion: v1\nkind: List\nitems:\n${numbers(count, (n) => printItem(handle(`h-${n}`), ''))}`,
};

function numbers(count: number, text: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => text(n)).join('');
}

/** Finds the objects of a text and their values, and remembers the values; returns how many objects there are. */
type Finder = (text: string) => number;

function byLines(): Finder {
  const pieces = new YamlPieces();
  return (text) => {
    pieces.begin();
    return locateInYaml(text, pieces).length;
  };
}

/** No more than such a finder has to do: the pieces by their offsets, and the values of those that are new. */
function byTokens(): Finder {
  const values = new Map<string, unknown>();
  return (text) => {
    let count = 0;
    for (const token of new Parser().parse(text)) {
      if (token.type !== 'document' || token.value?.type !== 'block-map') continue;
      const pieces = piecesOf(text, token.value);
      count += pieces.length;
      const fresh = pieces.filter((piece) => !values.has(piece));
      if (fresh.length === 0) continue;
      // A whole document is composed of the tokens that are there; a single piece is parsed alone.
      const tokens = fresh.length === pieces.length ? [token] : new Parser().parse(fresh.join(''));
      for (const document of new Composer(yamlOptions).compose(tokens)) plainValue(document, document.contents);
      for (const piece of fresh) values.set(piece, true);
    }
    return count;
  };
}

/** The texts of the items of a List, or the one text of any other object. */
function piecesOf(text: string, map: CST.BlockMap): string[] {
  const items = map.items.find(({ key }) => key?.type === 'scalar' && key.source === 'items')?.value;
  if (items?.type !== 'block-seq') {
    const next = text.indexOf('\n---', map.offset);
    return [text.slice(map.offset, next < 0 ? text.length : next + 1)];
  }
  const starts = items.items.map(({ start, value }) => start[0]?.offset ?? value?.offset ?? 0);
  return starts.map((start, i) => text.slice(start, starts[i + 1] ?? text.length));
}

function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Seconds of the processor: the first reading, and the reading after one object in the middle was changed. */
function cost(finder: Finder, text: string, changed: string, count: number): { read: number; again: number } {
  const look = (what: string): void => {
    const found = finder(what);
    if (found !== count) throw new Error(`${found} objects, not ${count}`);
  };
  const read = cpuSeconds(() => look(text));
  return { read, again: cpuSeconds(() => look(changed)) };
}

export function benchManifest(rounds: number): string {
  const lines: string[] = [];
  for (const count of SIZES) {
    for (const [style, textOf] of Object.entries(styles)) {
      const text = textOf(count);
      const changed = text.replace(`handleID: h-${count / 2}\n`, `handleID: changed-${count / 2}\n`);
      const found = { byLines: [] as ReturnType<typeof cost>[], byTokens: [] as ReturnType<typeof cost>[] };
      const measured = count === SIZES[0] ? rounds : ROUNDS_OF_LARGE;
      for (let round = 0; round <= measured; round++) {
        const pair = [
          () => found.byLines.push(cost(byLines(), text, changed, count)),
          () => found.byTokens.push(cost(byTokens(), text, changed, count)),
        ];
        for (const measure of round % 2 === 0 ? pair : pair.reverse()) measure();
        // The first round warms up.
        if (round === 0) found.byLines.length = found.byTokens.length = 0;
      }
      const shown = (of: readonly ReturnType<typeof cost>[]): string =>
        `${median(of.map(({ read }) => read)).toFixed(2)} s, again ${(median(of.map(({ again }) => again)) * 1000).toFixed(0)} ms`;
      const size = `${count} handles, ${style} (${(text.length / 1e6).toFixed(1)} MB, median of ${measured} rounds)`;
      lines.push(size, `  by lines   ${shown(found.byLines)}`, `  by tokens  ${shown(found.byTokens)}`);
    }
  }
  return `reading a YAML manifest, processor time\n${lines.join('\n')}\n\n`;
}
