// calictl get: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { defineCalicoctl, defineCommand } from '../command.ts';
import { arg, exclusive, flag, type InputOf, some } from '../parameters.ts';
import { manifestFlags } from '../shared-flags.ts';

export const flags = {
  output: flag
    .parsed(
      'FORMAT',
      'output format: ps, wide, yaml, json, name, custom-columns=…, jsonpath=…, jsonpath-file=FILE, go-template=… or go-template-file=FILE',
      {
        noun: 'format',
        suggests: [
          'ps',
          'wide',
          'yaml',
          'json',
          'name',
          'custom-columns=',
          'jsonpath=',
          'jsonpath-file=',
          'go-template=',
          'go-template-file=',
        ],
        hint: 'use one of ps, wide, yaml, json, name, custom-columns=…, jsonpath=…, go-template=…',
        parse: async (text) => (await import('./output.ts')).parseOutputWithPaths(text),
      },
    )
    .short('o')
    .default('ps'),
  namespace: flag.text('NAMESPACE', 'namespace, for kinds that have one (default: default)').short('n'),
  allNamespaces: flag.on('objects in all namespaces').short('A'),
  selector: flag
    .parsed('SELECTOR', 'only objects with these labels: a=b, a!=b, a, !a, "a in (b, c)"', {
      noun: 'selector',
      hint: 'write it like a=b, a!=b, a, !a or "a in (b, c)", joined by commas',
      parse: async (text) => (await import('../../datastore/label-selector.ts')).labelSelector(text),
    })
    .short('l')
    .orEmpty(),
  fieldSelector: flag.parsed('SELECTOR', 'only objects with this metadata.name or metadata.namespace', {
    noun: 'field selector',
    hint: 'write it like metadata.name=a,metadata.namespace!=b; Calico has no other fields to select by',
    parse: async (text) => (await import('./field-selector.ts')).fieldSelector(text),
  }),
  sortBy: flag.parsed('PATH', 'sort by the value of a field, such as .spec.order or .metadata.creationTimestamp', {
    noun: 'path',
    hint: 'write it like .spec.order',
    parse: async (text) => (await import('./sorting.ts')).parseSorting(text),
  }),
  labelColumns: flag
    .text('LABEL', 'add a column for this label, or for comma-separated labels')
    .short('L')
    .repeatable(),
  showLabels: flag.on('add a column with all labels'),
  noHeaders: flag.on('print tables without headings'),
  watch: flag.on('show the objects, then each change as it happens, until interrupted').short('w'),
  watchOnly: flag.on('like --watch, but without the objects that already exist'),
  outputWatchEvents: flag.on('show what happened with each change: ADDED, MODIFIED or DELETED'),
  ...manifestFlags,
  ignoreNotFound: flag.on('do not fail if an object does not exist'),
  export: flag.on('leave out what belongs to this cluster: namespace, uid, revision, times'),
};

export const args = {
  kind: arg.text('KIND', 'kind of object, comma-separated kinds, KIND/NAME, or all'),
  names: arg.text('NAME', 'only the objects with these names').repeatable(),
};

export type GetInput = InputOf<typeof flags, typeof args>;

const calicoctlFlags = {
  filename: flag.text('FILENAME', 'a manifest, a directory of them, or - for standard input').short('f'),
  recursive: manifestFlags.recursive,
  skipEmpty: manifestFlags.skipEmpty,
  output: flag.text('OUTPUT', 'output format').short('o').default('ps'),
  namespace: flag.text('NS', 'namespace, for kinds that have one (default: default)').short('n'),
  allNamespaces: flag.on('objects of all namespaces').short('A'),
  export: flag.on('without what belongs to this cluster: namespace, uid, revision, times'),
};

const calicoctlArgs = {
  kind: arg.text('KIND', 'kind of object'),
  names: arg.text('NAME', 'only the objects of these names').repeatable(),
};

export type CalicoctlGetInput = InputOf<typeof calicoctlFlags, typeof calicoctlArgs>;

export const get = defineCommand({
  path: ['get'],
  summary: 'Show objects',
  description:
    'KIND is a Calico kind (ippool, node, bgppeer, workloadendpoint, …) or an IPAM kind (ipamblock, ipamhandle, ' +
    'blockaffinity, ipamconfig), singular or plural. Without NAME, all objects of the kind are shown. Write KIND/NAME ' +
    'for one object, KIND,KIND for several kinds; -f shows the stored objects that manifests name. The word all means ' +
    'the kinds that users create. It leaves out nodes, workload endpoints, profiles and cluster information, which ' +
    'Kubernetes and Calico create, and the IPAM kinds. Tables of several kinds show names as KIND/NAME.',
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
      about: 'endpoints in all namespaces with a label',
    },
    {
      command: 'calictl get all -A',
      about: 'all objects that users create, one table per kind',
    },
    {
      command: 'calictl get nodes -w',
      about: 'all nodes, then each change of a node',
    },
    {
      command: 'calictl get ippools --sort-by .spec.cidr -o custom-columns=POOL:.metadata.name,CIDR:.spec.cidr',
      about: 'custom columns, sorted by CIDR',
    },
    {
      command: "calictl get ippools -o jsonpath='{.items[*].spec.cidr}'",
      about: 'the ranges of all pools on one line',
    },
    {
      command: 'calictl get ippool default-pool --export -o yaml > pool.yaml',
      about: 'a manifest for another cluster',
    },
  ],
  args,
  flags,
  rules: [
    some(['kind', 'filename'], 'nothing to get', 'specify a KIND, e.g. ippools, or a manifest with -f'),
    exclusive(['kind', 'filename'], 'leave one of them out'),
    exclusive(['namespace', 'allNamespaces'], 'leave one of them out'),
    exclusive(['watch', 'watchOnly'], 'leave one of them out'),
    exclusive(['watch', 'sortBy'], 'changes are shown in the order in which they happen'),
    exclusive(['watchOnly', 'sortBy'], 'changes are shown in the order in which they happen'),
  ],
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: calicoctlArgs,
    flags: calicoctlFlags,
    guarded: true,
    guardPrefix: 'failed to get resources: ',
    isResourceCommand: true,
    takesArgumentsOrFile: true,
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
