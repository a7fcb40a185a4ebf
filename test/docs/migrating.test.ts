// docs/migrating-from-calicoctl.md lists the commands that compat mode has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commands } from '../../src/commands/tree.ts';

it('docs/migrating-from-calicoctl.md lists exactly the commands of compat mode', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/migrating-from-calicoctl.md'), 'utf8');
  const listed = [...page.matchAll(/^- `([^`]+)`$/gm)].map(([, path]) => path);
  expect(listed).toEqual(
    commands
      .filter(({ calicoctl }) => calicoctl)
      .map(({ path }) => path.join(' '))
      .sort(),
  );
});
