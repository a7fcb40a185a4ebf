// Advice that ends something: only what the table holds, with the check that shows that nothing is lost by it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EndingAdvice, endingAdvice } from '../../src/faults/ending-advice.ts';
import type { Fault } from '../../src/faults/fault.ts';
import { faults } from '../../src/faults/faults.ts';

const source = join(import.meta.dirname, '..', '..', 'src');
const ending =
  /\b(delet(e|es|ed|ing)|restart(s|ed|ing)?|re-?create[sd]?|remov(e|es|ed|ing)|flush|kill|stop|reboot|drain|evict|reset)\b/i;

/** Every text of the modules about nodes, as written in the source. */
const texts = ['bgp', 'datapath', 'faults', 'node-state', 'commands/node']
  .flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !/ending-advice|command\.ts|capture|diags|^run/.test(path))
      .map((path) => `${folder}/${path}`),
  )
  .flatMap((path) => {
    const code = readFileSync(join(source, path), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '');
    return [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map((found) => ({
      path,
      text: (found[1] ?? found[2] ?? found[3] ?? '').replace(/\$\{[^}]*\}/g, '…'),
    }));
  });

/** Texts that say such a word and advise nothing of the kind: each with the reason. */
const harmless: readonly (readonly [text: RegExp, reason: string])[] = [
  [/find out what resets it|sets it only when it starts/, 'looks for what sets a value'],
  [/waits for its peers after a restart|was restarted and waits|graceful restart|^Last reboot/i, 'a state of BIRD'],
  [/^(stop|flush)$/, 'a state of a protocol'],
  [/Administrative reset|reset by peer|Cease/i, 'words of BIRD'],
  [/when Felix stopped|Felix stopped/, 'a state of Felix'],
  [/nothing (was|to) removed?/, 'reports that nothing was done'],
  [/^if nothing uses it any more, remove it first with calictl node unwire$/, 'unwire refuses what a pod uses'],
  [/^remote|^removed?$|removeExternalRoutes/, 'a name'],
];

describe('advice that ends something', () => {
  it('the modules about nodes hold many texts, and the words are recognized', () => {
    expect(texts.length).toBeGreaterThan(1500);
    expect(ending.test('restart calico-node')).toBe(true);
    expect(ending.test('then delete the route')).toBe(true);
    expect(ending.test('find out what adds it')).toBe(false);
  });

  it('outside of the table and the catalogue no text advises to delete, remove, recreate or restart anything', () => {
    const advised = texts
      .filter(({ path }) => !/^faults\/.*-faults\.ts$/.test(path))
      .filter(({ text }) => ending.test(text) && !harmless.some(([pattern]) => pattern.test(text)));
    expect(advised.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
  });

  it.each(Object.entries<EndingAdvice>(endingAdvice))('%s says what was checked, in a whole sentence', (_, advice) => {
    expect(advice.hint).toMatch(ending);
    expect(advice.hint).toMatch(/^[a-z].*[^.]$/);
    expect(advice.check).toMatch(/^[A-Z].{30,}\.$/s);
  });

  it.each(Object.entries(endingAdvice))('a rule gives the advice %s', (name) => {
    const users = texts.length > 0 ? filesNaming(`endingAdvice.${name}`) : [];
    expect(users).not.toEqual([]);
  });

  it('the catalogue advises to end something only for faults whose rule gives such advice', () => {
    const entries = Object.entries<Fault>(faults).filter(
      ([, { whatToDo }]) => ending.test(whatToDo) && !harmless.some(([pattern]) => pattern.test(whatToDo)),
    );
    expect(entries.map(([name]) => name).sort()).toEqual([
      'blackholeMissing',
      'duplicatePodAddress',
      'forwardingEntryMissing',
      'mtuWrong',
      'nodeAddressAbsent',
      'nodeRenamed',
      'nodenameWrong',
      'podInterfaceDown',
      'podInterfaceMissing',
      'podMtuWrong',
      'podNeighbourWrong',
      'remoteRouteWrong',
      'tunnelAddressWrong',
      'vtepMacWrong',
      'vxlanUnderlayWrong',
    ]);
  });

  it('nothing of another program is advised to be deleted: not a route, an interface, a rule or an address', () => {
    const foreign = [
      faults.foreignRoute,
      faults.leftoverRoute,
      faults.strayInterface,
      faults.foreignRule,
      faults.podAddressOnNode,
      faults.vxlanCollision,
    ];
    for (const { whatToDo } of foreign) expect(whatToDo).not.toMatch(ending);
  });
});

function filesNaming(text: string): string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && readFileSync(join(source, path), 'utf8').includes(text),
  );
}
