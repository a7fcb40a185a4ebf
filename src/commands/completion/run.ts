// What calictl completion does: returns the script of the shell.
import { jsonDocument } from '../../output/json-document.ts';
import type { Context } from '../command.ts';
import type { CompletionInput } from './command.ts';
import { type Shell, scriptOf } from './scripts.ts';

interface Script {
  readonly shell: Shell;
  readonly script: string;
}

export async function run(_ctx: Context, { shell }: CompletionInput): Promise<Script> {
  return { shell, script: scriptOf(shell) };
}

export const formats = {
  text: ({ script }: Script): string => script,
  json: (result: Script): string => jsonDocument({ apiVersion: 'calictl/v1', kind: 'CompletionScript', ...result }),
};
