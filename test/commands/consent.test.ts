// Asking before something is written.
import { expect, it } from 'vitest';
import type { Context } from '../../src/commands/command.ts';
import { consents, requireConsent } from '../../src/commands/consent.ts';
import { testWorld } from '../support/program/world.ts';

function asked(terminal: boolean, answer: boolean) {
  const notes: string[] = [];
  const questions: string[] = [];
  const ctx: Context = {
    world: testWorld({ terminal }),
    version: { calictl: '', calico: '', commit: '' },
    datastore: () => Promise.reject(new Error('not asked for')),
    nodeExec: () => Promise.reject(new Error('not asked for')),
    settings: () => Promise.reject(new Error('not asked for')),
    note: async (line) => void notes.push(line),
    progress: () => undefined,
    confirm: async (question) => {
      questions.push(question);
      return answer;
    },
  };
  return { ctx, notes, questions };
}

const withYes = (yes: boolean) => ({ yes });

it.each([
  [false, false],
  [false, true],
  [true, true],
])('no confirmation is asked with terminal %s and --yes %s', async (terminal, yes) => {
  const { ctx, notes, questions } = asked(terminal, false);
  expect(await consents(ctx, withYes(yes), ['a step'], 'Do it?')).toBe(true);
  expect([notes, questions]).toEqual([[], []]);
});

it.each([true, false])('on a terminal the plan is shown and confirmed with %s', async (answer) => {
  const { ctx, notes, questions } = asked(true, answer);
  expect(await consents(ctx, withYes(false), ['first', 'second'], 'Do it?')).toBe(answer);
  expect([notes, questions]).toEqual([['  first', '  second'], ['Do it?']]);
});

it('a long plan shows 50 lines and counts the others', async () => {
  const { ctx, notes } = asked(true, true);
  const plan = Array.from({ length: 53 }, (_, index) => `step ${index}`);
  await consents(ctx, withYes(false), plan, 'Do it?');
  expect(notes.length).toBe(51);
  expect(notes.slice(-2)).toEqual(['  step 49', '  … and 3 more']);
});

it('the answer no is a refusal', async () => {
  const { ctx } = asked(true, false);
  const asking = { plan: [], question: 'Do it?', otherwise: 'nothing was done' };
  await expect(requireConsent(ctx, withYes(false), asking)).rejects.toMatchObject({
    message: 'nothing was done',
    code: 'DECLINED',
  });
});
