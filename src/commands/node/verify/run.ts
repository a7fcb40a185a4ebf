// What calictl node verify does: compares what nodes have with what packets of pods need there, fact by fact.
import type { NodeFactsList } from '../../../datapath/verify/node-facts.ts';
import type { Surroundings } from '../../../output/findings.ts';
import type { Context, View } from '../../command.ts';
import { exitOfList } from '../exit-code.ts';
import { verification } from '../verification.ts';
import type { VerifyInput } from './command.ts';
import { nodeVerifyJson, nodeVerifyText, nodeVerifyYaml } from './text.ts';

interface Verified {
  readonly list: NodeFactsList & Surroundings;
  readonly all: boolean;
}

export async function run(ctx: Context, input: VerifyInput): Promise<Verified> {
  const { all } = input;
  const { list } = await verification(ctx, input, { all });
  return { list, all };
}

export const formats = {
  table: ({ list, all }: Verified, view: View) => nodeVerifyText(list, all, view),
  json: ({ list }: Verified) => nodeVerifyJson(list),
  yaml: ({ list }: Verified) => nodeVerifyYaml(list),
};

export const exit = ({ list }: Verified): number => exitOfList(list);
