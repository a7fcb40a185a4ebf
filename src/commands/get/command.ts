// calictl get: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { arg, exclusive, flag, type InputOf } from '../parameters.ts';
import { parseOutput } from './output.ts';

export const flags = {
  output: flag
    .parsed('FORMAT', 'output format: ps, wide, yaml, json, name or custom-columns=HEADING,HEADING', {
      noun: 'format',
      hint: 'use one of ps, wide, yaml, json, name, custom-columns=HEADING,HEADING',
      parse: parseOutput,
    })
    .short('o')
    .default('ps'),
  namespace: flag.text('NAMESPACE', 'namespace, for kinds that have one (default: default)').short('n'),
  allNamespaces: flag.on('objects of all namespaces').short('A'),
  selector: flag
    .parsed('SELECTOR', 'only objects with these labels: a=b, a!=b, a, !a, "a in (b, c)"', {
      noun: 'selector',
      hint: 'write it like a=b, a!=b, a, !a or "a in (b, c)", joined by commas',
      parse: async (text) => (await import('../../datastore/label-selector.ts')).labelSelector(text),
    })
    .short('l')
    .orEmpty(),
  export: flag.on('leave out what belongs to this cluster: namespace, uid, revision, times'),
};

export const args = {
  kind: arg.text('KIND', 'kind of object').required(),
  names: arg.text('NAME', 'only the objects of these names').repeatable(),
};

export type GetInput = InputOf<typeof flags, typeof args>;

const calicoctlFlags = {
  output: flag.text('OUTPUT', 'output format').short('o').default('ps'),
  namespace: flag.text('NS', 'namespace, for kinds that have one (default: default)').short('n'),
  allNamespaces: flag.on('objects of all namespaces').short('A'),
  export: flag.on('without what belongs to this cluster: namespace, uid, revision, times'),
};

const calicoctlArgs = {
  kind: arg.text('KIND', 'kind of object').required(),
  names: arg.text('NAME', 'only the objects of these names').repeatable(),
};

export type CalicoctlGetInput = InputOf<typeof calicoctlFlags, typeof calicoctlArgs>;

export const get = defineCommand({
  path: ['get'],
  summary: 'Show objects',
  description:
    'KIND is a kind of Calico (ippool, node, bgppeer, workloadendpoint, …) or of its IPAM (ipamblock, ipamhandle, ' +
    'blockaffinity, ipamconfig), singular or plural. Without NAME all objects of the kind are shown.',
  examples: [
    {
      command: 'calictl get ippools -o wide',
      about: 'all pools with their settings',
    },
    {
      command: 'calictl get ipamblocks -o wide',
      about: 'one row per block: owner, used, free, borrowed, what is wrong',
    },
    {
      command: 'calictl get node worker-1 -o yaml',
      about: 'a node with its Calico fields',
    },
    {
      command: 'calictl get workloadendpoints -A -l app=cart',
      about: 'endpoints of all namespaces with a label',
    },
    {
      command: 'calictl get ippool default-pool --export -o yaml > pool.yaml',
      about: 'a manifest for another cluster',
    },
  ],
  args,
  flags,
  rules: [
    exclusive(['selector', 'names'], 'leave one of them out'),
    exclusive(['namespace', 'allNamespaces'], 'leave one of them out'),
    exclusive(['allNamespaces', 'names'], 'name the namespace with -n'),
  ],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: calicoctlArgs,
    flags: calicoctlFlags,
    guarded: true,
    guardPrefix: 'failed to get resources: ',
    isResourceCommand: true,
    rewrite: (word) => (word === '-a' ? '-A' : word),
    usage: `get ( (<KIND> [<NAME>...]) |
                --filename=<FILENAME> [--recursive] [--skip-empty] )
                [--output=<OUTPUT>] [--config=<CONFIG>] [--namespace=<NS>] [--all-namespaces] [--export] [--context=<context>] [--allow-version-mismatch]`,
    description:
      'Show objects.\n' +
      'KIND is a kind of Calico (ippool, node, bgppeer, workloadendpoint, …) or of its IPAM (ipamblock, ipamhandle, ' +
      'blockaffinity, ipamconfig), singular or plural. Without NAME all objects of the kind are shown. Beside ps, wide, ' +
      'yaml, json and name, -o takes custom-columns=HEADING,HEADING.',
    load: () => import('./calicoctl.ts'),
  }),
});
