// Asking before something is written: the plan on stderr, then the question. Not what the plan is.
import { RefusedError } from '../world/errors.ts';
import type { Context } from './command.ts';

/** What commands that write are given with --yes. */
export interface ConsentInput {
  readonly yes: boolean;
}

/** Lines of a plan that are shown before the question; the others are counted. */
const mostLines = 50;

/** Shows the plan and asks for confirmation. Off a terminal, and with --yes, the command itself is consent. */
export async function consents(
  ctx: Context,
  { yes }: ConsentInput,
  plan: readonly string[],
  question: string,
): Promise<boolean> {
  const { stdin, stderr } = ctx.world.io;
  if (yes || !stdin.isTerminal || !stderr.isTerminal) return true;
  for (const line of plan.slice(0, mostLines)) await ctx.note(`  ${line}`);
  if (plan.length > mostLines) await ctx.note(`  … and ${plan.length - mostLines} more`);
  return ctx.confirm(question);
}

/** The same for a command that ends with a no. Errors: RefusedError, which says in `otherwise` that nothing was done. */
export async function requireConsent(
  ctx: Context,
  input: ConsentInput,
  {
    plan,
    question,
    otherwise,
  }: { readonly plan: readonly string[]; readonly question: string; readonly otherwise: string },
): Promise<void> {
  if (!(await consents(ctx, input, plan, question))) throw new RefusedError(otherwise, 'DECLINED');
}
