// The stylesheets of the drawn address map, for light and dark screens. Letters on cells have a contrast of 4.5 or more.

interface Theme {
  readonly page: string;
  readonly text: string;
  readonly faint: string;
  /** Of letters on solid cells. */
  readonly letter: string;
  readonly trouble: string;
  /** Of what does not belong to a node. */
  readonly nobody: string;
  /** Neighbours in this list are easy to tell apart. */
  readonly nodes: readonly string[];
}

const light: Theme = {
  page: '#ffffff',
  text: '#1f2328',
  faint: '#59636e',
  letter: '#ffffff',
  trouble: '#d1242f',
  nobody: '#6b7280',
  nodes: [
    '#1d4ed8',
    '#15803d',
    '#7e22ce',
    '#92600a',
    '#0e7490',
    '#be185d',
    '#4d7c0f',
    '#5b4bd6',
    '#7c4a21',
    '#0f766e',
    '#86198f',
    '#475569',
  ],
};

const dark: Theme = {
  page: '#0d1117',
  text: '#e6edf3',
  faint: '#9198a1',
  letter: '#0d1117',
  trouble: '#ff7b72',
  nobody: '#9ca3af',
  nodes: [
    '#79b0ff',
    '#7ee2a0',
    '#d2a8ff',
    '#e3b341',
    '#67d8ef',
    '#ff9bce',
    '#b5e655',
    '#a5b4fc',
    '#e0a98a',
    '#4fd1c0',
    '#eea6fb',
    '#c3cbd6',
  ],
};

export const nodeColourCount = light.nodes.length;

function colours({ page, text, faint, letter, trouble, nobody, nodes }: Theme): string {
  return [
    `.page{fill:${page}}`,
    `text,.q{fill:${text}}`,
    `.d{fill:${faint}}`,
    `.k{fill:${letter}}`,
    `.w{fill:${trouble}}`,
    `.nn{fill:${nobody}}`,
    ...nodes.map((colour, number) => `.n${number}{fill:${colour}}`),
    `.e{fill:${trouble}}`,
    `.m{stroke:${text};stroke-width:2}`,
  ].join('');
}

const whenDark = (rules: string): string => `@media (prefers-color-scheme:dark){${rules}}`;

/** Of the picture itself: it is dark where the reader's screen is. */
export const pictureStyle = [
  'text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}',
  '.t{font-size:18px;font-weight:600}.h{font-size:14px;font-weight:600}',
  '.k,.q{font-size:9px;font-weight:700;text-anchor:middle;pointer-events:none}',
  '.v{fill-opacity:.18}',
  colours(light),
  whenDark(colours(dark)),
].join('');

/** Of the page around it. */
export const pageStyle = [
  ':root{color-scheme:light dark}body{margin:0}',
  `body{background:${light.page}}`,
  whenDark(`body{background:${dark.page}}`),
].join('');
