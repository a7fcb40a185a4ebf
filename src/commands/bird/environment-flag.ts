// --env: the variables of calico-node that the configuration of BIRD depends on.
import { type BirdEnvironment, environmentVariables } from '../../bird-config/objects.ts';
import { flag } from '../parameters.ts';

type Variable = (typeof environmentVariables)[number];
const isVariable = (name: string): name is Variable => environmentVariables.some((known) => known === name);

export const environmentFlag = flag
  .parsed<readonly [Variable, string]>('NAME=VALUE', `variable of calico-node: ${environmentVariables.join(', ')}`, {
    noun: 'value',
    hint: `write it as NAME=VALUE; the variables that matter are ${environmentVariables.join(', ')}`,
    parse: (text) => {
      const [, name = '', value = ''] = /^([A-Z0-9_]+)=(.*)$/s.exec(text) ?? [];
      return isVariable(name) ? [name, value] : undefined;
    },
  })
  .repeatable();

/** The variables as the renderer takes them. */
export const environmentOf = (pairs: readonly (readonly [Variable, string])[]): BirdEnvironment =>
  Object.fromEntries(pairs);
