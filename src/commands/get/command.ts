// calictl get: objects as tables and documents. Reading them is in get-objects.ts.
import type { Selection } from '../../resources/query-result.ts';
import { CalictlError, exitCodes, UsageError } from '../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../command.ts';

const words = ['ps', 'wide', 'yaml', 'json', 'name', 'custom-columns'];

/** What `-o` asks for: a key of the formats, and the headings of custom columns. */
function outputOf(input: Input, compat: boolean): { format: string; headings: string[] } {
  const text = input.text('output') ?? 'ps';
  const [word = '', ...rest] = text.split('=');
  const value = rest.join('=');
  if (word === 'custom-columns') {
    if (value === '') {
      const hint = 'write it like custom-columns=NAME,CIDR';
      throw new UsageError('need to specify at least one column', hint, 'UNKNOWN_FORMAT');
    }
    return { format: word, headings: value.split(',') };
  }
  if (word === 'go-template' || word === 'go-template-file') {
    const lacking = word === 'go-template' ? 'a template' : 'a template file';
    if (value === '') throw new UsageError(`need to specify ${lacking}`, undefined, 'UNKNOWN_FORMAT');
    throw new UsageError(
      `${word} is not in this version of calictl`,
      'use -o json and a program like jq',
      'UNSUPPORTED_FORMAT',
    );
  }
  const format = text === 'yml' ? 'yaml' : text;
  if (!words.includes(format) || (compat && format === 'name')) {
    throw new UsageError(
      `unrecognized output format '${text}'`,
      compat ? undefined : `use one of ${words.join(', ')}`,
      'UNKNOWN_FORMAT',
    );
  }
  return { format, headings: [] };
}

async function run(ctx: Context, input: Input): Promise<Selection> {
  const { selectObjects } = await import('./read.ts');
  const { format, headings } = outputOf(input, ctx.compat);
  const [kind = '', ...names] = input.args;
  const query = {
    kind,
    names,
    namespace: input.text('namespace'),
    allNamespaces: input.on('all-namespaces'),
    selector: input.text('selector'),
    stripped: input.on('export'),
    format,
    headings,
  };
  if (!ctx.compat) return selectObjects(ctx, query);
  try {
    return await selectObjects(ctx, query);
  } catch (error) {
    // Only what stops the command before it reads anything has the prefix.
    if (!(error instanceof UsageError)) throw error;
    throw new CalictlError(`failed to get resources: ${error.message}`, {
      code: error.code,
    });
  }
}

export const get = defineCommand<Selection>({
  path: ['get'],
  summary: 'Show objects',
  description:
    'KIND is a kind of Calico (ippool, node, bgppeer, workloadendpoint, …) or of its IPAM (ipamblock, ipamhandle, ' +
    'blockaffinity, ipamconfig), singular or plural. Without NAME all objects of the kind are shown. Beside ps, wide, ' +
    'yaml, json and name, -o takes custom-columns=HEADING,HEADING.',
  examples: [
    {
      command: 'calictl get ippools -o wide',
      about: 'all pools with what they are set to',
    },
    {
      command: 'calictl get ipamblocks -o wide',
      about: 'one row a block: owner, used, free, borrowed, what is wrong',
    },
    {
      command: 'calictl get node worker-1 -o yaml',
      about: 'a node with its Calico fields',
    },
    {
      command: 'calictl get workloadendpoints -A -l app=web',
      about: 'endpoints of all namespaces with a label',
    },
    {
      command: 'calictl get ippool pool-1 --export -o yaml > pool.yaml',
      about: 'a manifest for another cluster',
    },
  ],
  args: [
    { name: 'KIND', about: 'kind of object', required: true },
    { name: 'NAME', about: 'only the objects of these names', variadic: true },
  ],
  flags: [
    {
      name: 'output',
      short: 'o',
      value: 'OUTPUT',
      about: 'output format',
      default: 'ps',
      calicoctl: true,
    },
    {
      name: 'namespace',
      short: 'n',
      value: 'NS',
      about: 'namespace, for kinds that have one (default: default)',
      calicoctl: true,
    },
    {
      name: 'all-namespaces',
      short: 'A',
      about: 'objects of all namespaces',
      calicoctl: true,
    },
    {
      name: 'selector',
      short: 'l',
      value: 'SELECTOR',
      about: 'only objects with these labels: a=b, a!=b, a, !a, "a in (b, c)"',
    },
    {
      name: 'export',
      about: 'without what belongs to this cluster: namespace, uid, revision, times',
      calicoctl: true,
    },
  ],
  calicoctl: true,
  guarded: true,
  run,
  format: (input, compat) => outputOf(input, compat).format,
  formats: {
    ps: async (selection, { compat }) => (await import('./tables.ts')).tablesOf(selection, 'ps', compat),
    wide: async (selection, { compat }) => (await import('./tables.ts')).tablesOf(selection, 'wide', compat),
    'custom-columns': async (selection, { compat }) =>
      (await import('./tables.ts')).tablesOf(selection, 'custom-columns', compat),
    name: async (selection) => (await import('./tables.ts')).namesOf(selection),
    yaml: async (selection) => (await import('./documents.ts')).documentsOf(selection, 'yaml'),
    json: async (selection) => (await import('./documents.ts')).documentsOf(selection, 'json'),
  },
  exit: ({ errors }) => (errors.length > 0 ? exitCodes.failed : exitCodes.ok),
  errors: ({ errors }) => errors,
});
