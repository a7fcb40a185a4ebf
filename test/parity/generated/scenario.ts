// Scenarios: a few command lines one after the other, with the files that they read.
import { manifestOf, type Named, objectOf } from './manifests.ts';
import { Choices } from './random.ts';
import type { Subject } from './subjects.ts';

export interface Step {
  readonly argv: readonly string[];
  /** By their paths in the folder in which the command runs. */
  readonly files: Readonly<Record<string, string>>;
  readonly stdin: string;
}

export interface Scenario {
  readonly seed: number;
  readonly steps: readonly Step[];
}

/** What the steps of a scenario are made with. */
interface Maker {
  readonly choices: Choices;
  readonly subjects: readonly Subject[];
  /** What most of the steps are about. */
  readonly named: Named;
  /** False for a release that the command line cannot tell without a cluster. */
  readonly validates: boolean;
}

const nothing = { files: {}, stdin: '' };

function nameIn({ existing, fresh }: Subject, choices: Choices): string {
  return choices.one(choices.percent(50) ? existing : fresh);
}

/** The object of the scenario, or another. */
function anyNamed({ choices, subjects, named }: Maker): Named {
  if (choices.percent(60)) return named;
  const subject = choices.percent(60) ? named.subject : choices.one(subjects);
  return { subject, name: nameIn(subject, choices) };
}

/** Flags that commands with files and objects have in common. */
function commonFlags({ choices }: Maker, { subject }: Named): string[] {
  const namespace = choices.weighted<readonly string[]>([
    [subject.namespaced ? 60 : 4, ['-n', 'shop']],
    [3, ['--namespace=default']],
    [2, ['-n', 'nosuch']],
    [1, ['-n', '']],
    [subject.namespaced ? 30 : 120, []],
  ]);
  const rare = choices.weighted<readonly string[]>([
    [120, []],
    [1, ['--bogus']],
    [1, ['-c', '/nonexistent/calicoctl.cfg']],
    [1, ['--context', 'nosuch']],
    [1, ['--context=nobody']],
    [1, ['--allow-version-mismatch']],
    [1, ['-h']],
    [1, ['extra']],
    [1, ['-n']],
    [1, ['-z']],
    [1, ['--']],
    [1, ['-n', 'shop', '-n', 'shop']],
  ]);
  return [...namespace, ...rare];
}

/** `-f` with a file, a folder or standard input that holds the manifests. */
function input(maker: Maker, verb: string): { readonly flags: string[]; readonly named: Named } & Omit<Step, 'argv'> {
  const { choices } = maker;
  const all = Array.from(
    {
      length: choices.weighted([
        [70, 1],
        [20, 2],
        [10, 3],
      ] as const),
    },
    () => anyNamed(maker),
  ); // prettier-ignore
  const wrong = verb === 'delete' || verb === 'get' ? 15 : 45;
  const objects = all.map((named) => objectOf(named, choices, wrong));
  const named = all[0] as Named;
  const flag = choices.weighted([
    [10, '-f'],
    [1, '--filename'],
    [1, '--fi'],
  ] as const); // prettier-ignore
  const form = choices.weighted([
    [80, 'file'],
    [8, 'stdin'],
    [8, 'folder'],
    [2, 'nothing'],
    [2, 'no manifest'],
  ] as const); // prettier-ignore
  const skips = choices.percent(form === 'no manifest' ? 50 : 3) ? ['--skip-empty'] : [];
  switch (form) {
    case 'stdin':
      return { flags: [flag, '-', ...skips], named, files: {}, stdin: manifestOf(objects, choices) };
    case 'nothing':
      return { flags: [flag, choices.one(['nosuch.yaml', '.', '/dev/null', '']), ...skips], named, ...nothing };
    case 'no manifest': {
      const text = choices.one(['', '# nothing\n', '---\n---\n', '\n']);
      return { flags: [flag, 'empty.yaml', ...skips], named, files: { 'empty.yaml': text }, stdin: '' };
    }
    case 'folder': {
      const names = choices.some(['b.yaml', 'a.yml', 'C.JSON', 'notes.txt', 'inner/d.yaml'], objects.length);
      const files = names.map((name, at) => [`all/${name}`, manifestOf(objects.slice(at, at + 1), choices)]);
      const recursive = choices.percent(50) ? [choices.one(['-R', '--recursive'])] : [];
      return { flags: [flag, 'all', ...recursive, ...skips], named, files: Object.fromEntries(files), stdin: '' };
    }
    default: {
      const name = choices.one(['objects.yaml', 'objects.yaml', 'objects.json', 'objects']);
      return { flags: [flag, name, ...skips], named, files: { [name]: manifestOf(objects, choices) }, stdin: '' };
    }
  }
}

function written(verb: string, skip?: string): (maker: Maker) => Step {
  return (maker) => {
    const { flags, named, ...rest } = input(maker, verb);
    const skips = skip !== undefined && maker.choices.percent(20) ? [skip] : [];
    const common = verb === 'validate' ? [] : commonFlags(maker, named);
    return { argv: [verb, ...flags, ...skips, ...common], ...rest };
  };
}

function wordOf({ choices }: Maker, { subject }: Named): string {
  return choices.percent(3) ? choices.one(['gadget', 'ipamblock', 'nps', '', 'all']) : choices.one(subject.words);
}

function names(maker: Maker, { subject, name }: Named): string[] {
  const { choices } = maker;
  return choices.weighted<() => string[]>([
    [70, () => [name]],
    [15, () => [name, nameIn(subject, choices)]],
    [5, () => []],
    [3, () => ['']],
    [3, () => [choices.one(['UPPER', 'a b', 'x/y', '..', '%2e'])]],
  ])();
}

const patches: readonly ((maker: Maker, named: Named) => string)[] = [
  (maker, named) => JSON.stringify({ spec: (objectOf(named, maker.choices, 40)['spec'] as object) ?? {} }),
  (maker, named) => JSON.stringify({ spec: (objectOf(named, maker.choices, 0)['spec'] as object) ?? {} }),
  ({ choices }) =>
    JSON.stringify({
      metadata: choices.one<unknown>([
        { labels: { team: 'b', rack: null } },
        { labels: null },
        { annotations: { note: 'p' } },
        { labels: { 'bad key': 'x' } },
        { name: 'other' },
        { namespace: 'default' },
        { resourceVersion: '1' },
        { uid: 'x' },
        { finalizers: ['example.com/keep'] },
        { creationTimestamp: null },
        { bogus: 1 },
        'x',
      ]),
    }),
  ({ choices }) =>
    choices.one([
      '{}',
      '[]',
      '',
      '{',
      'spec: {}',
      'null',
      '7',
      '{"spec":null}',
      '{"kind":"Tier"}',
      '{"apiVersion":"v1"}',
      '{"bogus":{"x":1}}',
      '{"spec":{"$patch":"delete"}}',
      '{"spec":{"$patch":"replace"}}',
      '{"spec":{"$patch":"bogus"}}',
      '{"spec":{"$patch":7}}',
      '{"$patch":"delete"}',
      '{"metadata":{"labels":{"$patch":"replace","x":"y"}}}',
      '{"spec":{"$retainKeys":["order"],"order":3}}',
      '[{"op":"remove","path":"/spec/order"}]',
      '{"spec":{"order":null,"selector":null}}',
    ]),
];

const formats = [
  'yaml',
  'json',
  'wide',
  'ps',
  'yml',
  'name',
  'xml',
  '',
  'custom-columns=NAME',
  'custom-columns=NAME,BOGUS',
  'custom-columns=NAMESPACE,NAME',
  'custom-columns',
  'go-template={{range .}}{{.Name}},{{end}}',
  'go-template={{range .}}{{range .Items}}{{.Name}} {{end}}{{end}}',
  'go-template={{.Bogus}}',
  'go-template-file=nosuch.tmpl',
  'jsonpath={.items}',
]; // prettier-ignore

function getFlags(maker: Maker): string[] {
  const { choices } = maker;
  return [
    ...(choices.percent(75)
      ? [
          choices.one(['-o', '--output']),
          choices.percent(60) ? choices.one(['yaml', 'json', 'wide']) : choices.one(formats),
        ]
      : []),
    ...(choices.percent(8) ? [choices.one(['-a', '-A', '--all-namespaces'])] : []),
    ...(choices.percent(10) ? ['--export'] : []),
  ];
} // prettier-ignore

function got(maker: Maker): Step {
  const { choices } = maker;
  if (choices.percent(12)) {
    const { flags, named, ...rest } = input(maker, 'get');
    return { argv: ['get', ...flags, ...getFlags(maker), ...commonFlags(maker, named)], ...rest };
  }
  const named = anyNamed(maker);
  const which = choices.percent(30) ? [] : names(maker, named);
  return {
    argv: ['get', wordOf(maker, named), ...which, ...getFlags(maker), ...commonFlags(maker, named)],
    ...nothing,
  };
}

function deleted(maker: Maker): Step {
  const { choices } = maker;
  const skips = choices.percent(25) ? [choices.one(['--skip-not-exists', '-s'])] : [];
  if (choices.percent(35)) {
    const { flags, named, ...rest } = input(maker, 'delete');
    return { argv: ['delete', ...flags, ...skips, ...commonFlags(maker, named)], ...rest };
  }
  const named = anyNamed(maker);
  return {
    argv: ['delete', wordOf(maker, named), ...names(maker, named), ...skips, ...commonFlags(maker, named)],
    ...nothing,
  };
}

function patchedStep(maker: Maker): Step {
  const { choices } = maker;
  const named = anyNamed(maker);
  const [name = 'x'] = names(maker, named);
  const type = choices.percent(40) ? ['--type', choices.one(['json', 'merge', 'strategic', 'bogus'])] : [];
  const patch = choices.one(patches)(maker, named);
  const given = choices.percent(2) ? [] : choices.percent(50) ? ['-p', patch] : [`--patch=${patch}`];
  return {
    argv: ['patch', wordOf(maker, named), name, ...given, ...type, ...commonFlags(maker, named)],
    ...nothing,
  };
}

function labelledStep(maker: Maker): Step {
  const { choices } = maker;
  const named = anyNamed(maker);
  const [name = 'x'] = names(maker, named);
  const change = choices.one([
    ['team=a'],
    ['team=b', '--overwrite'],
    ['rack=r1'],
    ['team', '--remove'],
    ['rack', '--remove'],
    ['rack'],
    ['a=b=c'],
    ['=x'],
    ['bad key=x'],
    ['team='],
    ['projectcalico.org/site=y', '--overwrite'],
    ['team=c', '--over'],
  ]); // prettier-ignore
  return {
    argv: ['label', wordOf(maker, named), name, ...change, ...commonFlags(maker, named)],
    ...nothing,
  };
}

const ipam: readonly (readonly string[])[] = [
  ['ipam', 'show'],
  ['ipam', 'show', '--show-blocks'],
  ['ipam', 'show', '--show-configuration'],
  ['ipam', 'show', '--ip=10.60.0.1'],
  ['ipam', 'show', '--ip=bogus'],
  ['ipam', 'show', '--show-borrowed'],
  ['ipam', 'check'],
  ['ipam', 'configure', '--strictaffinity=true'],
  ['ipam', 'configure', '--strictaffinity=perhaps'],
  ['ipam', 'configure', '--strictaffinity=true', '--max-blocks-per-host=4'],
  ['ipam', 'configure'],
];

const misuses: readonly (readonly string[])[] = [
  [],
  ['bogus'],
  ['--bogus', 'get', 'node'],
  ['-l', 'loud', 'get', 'node'],
  ['--version'],
  ['create'],
  ['apply', '-f'],
  ['replace', 'x'],
  ['delete'],
  ['get'],
  ['patch', 'ippool'],
  ['label', 'ippool'],
  ['validate'],
  ['ipam', 'bogus'],
  ['-l', 'panic', 'get', 'ippool'],
  ['--allow-version-mismatch', 'get', 'tier'],
  ['get', 'ippool', '--skip'],
  ['create', '-f', 'x', '--skip'],
  ['cluster'],
  ['node'],
  ['ipam'],
]; // prettier-ignore

const verbs: readonly (readonly [weight: number, step: (maker: Maker) => Step])[] = [
  [18, written('create', '--skip-exists')],
  [22, written('apply')],
  [14, written('replace')],
  [14, patchedStep],
  [10, deleted],
  [16, got],
  [7, labelledStep],
  [8, (maker) => (maker.validates ? written('validate') : got)(maker)],
  [3, ({ choices }) => ({ argv: choices.one(ipam), ...nothing })],
  [2, ({ choices }) => ({ argv: choices.one(misuses), ...nothing })],
];

/** The scenario of a seed. */
export function scenarioOf(seed: number, subjects: readonly Subject[], validates: boolean): Scenario {
  const choices = new Choices(seed);
  const subject = choices.one(subjects);
  const maker = { choices, subjects, named: { subject, name: nameIn(subject, choices) }, validates };
  const steps = Array.from({ length: choices.between(3, 8) }, () => choices.weighted(verbs)(maker));
  return { seed, steps };
}

/** The text with the revisions that placeholders stand for; one without an object gets a revision that none has. */
export async function withRevisions(
  text: string,
  revision: (kind: string, namespace: string, name: string) => Promise<string | undefined>,
): Promise<string> {
  let replaced = text;
  for (const [whole, kind = '', namespace = '', name = ''] of text.matchAll(
    /revision-of\((\w*)\/([^/]*)\/([^)]*)\)/g,
  )) {
    replaced = replaced.replace(whole, (await revision(kind, namespace, name)) ?? '123456');
  }
  return replaced;
}
