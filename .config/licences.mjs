// The licence texts of the packages that a bundle contains.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function packageOf(input) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

/** Name, licence and licence text of each package of which the bundle contains a part. */
export function licences(inputs) {
  const folders = [...new Set(inputs.map(packageOf).filter(Boolean))].sort();
  const texts = folders.map((folder) => {
    const {
      name,
      version: its,
      licenses: old,
      license = old?.[0]?.type,
    } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text =
      file === undefined
        ? `(no licence file; package.json says ${license})`
        : readFileSync(join(root, folder, file), 'utf8');
    return `${name} ${its} (${license})\n\n${text.trim()}\n`;
  });
  return `calictl contains code of these packages.\n\n${[...new Set(texts)].join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The files of which a bundle contains a part. */
export function bundledInputs({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
}
