// calictl completion: the candidates that the register gives, and the scripts in the real shells.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalFlags } from '../../src/cli/global-flags.ts';
import { candidatesFor } from '../../src/commands/completion/candidates.ts';
import type { NameSource } from '../../src/commands/completion/values.ts';
import { commands, groups } from '../../src/commands/tree.ts';
import { runBuilt } from '../support/program/built-program.ts';
import { type TestFolder, testFolder } from '../support/program/test-folder.ts';
import { until } from '../support/program/until.ts';
import { run } from '../support/program/world.ts';

const root = join(import.meta.dirname, '..', '..');
const program = join(root, 'bin', 'calictl.js');
const example = join(root, 'docs', 'examples', 'leaky-cluster');

/** Names that say for what they were asked. */
const echo: NameSource = async ({ kind }, { namespace, withNamespace }) => [
  `${kind}.${withNamespace ? 'all' : (namespace ?? 'none')}`,
];

const contexts = async (): Promise<readonly string[]> => ['prod', 'test'];

/** The words offered for the last word of a line; one that ends in a space asks for a new word. */
async function offered(line: string, names: NameSource = echo): Promise<string[]> {
  const { candidates } = await candidatesFor(line.split(' '), { commands, groups, globalFlags }, names, contexts);
  return candidates.map(({ word }) => word);
}

async function offersFiles(line: string): Promise<boolean> {
  return (await candidatesFor(line.split(' '), { commands, groups, globalFlags }, echo, contexts)).files;
}

describe('candidates', () => {
  it.each([
    ['ver', ['version']],
    ['help ver', ['version']],
    ['ipam aff', ['affinity']],
    ['--debug ipam affinity ', ['claim', 'list', 'release']],
    ['get --watch-', ['--watch-only']],
    ['get --watch-only --watch-', []],
    ['ipam check -o ju', ['junit']],
    ['ipam check --output=ju', ['--output=junit']],
    ['get ippools,bgpp', ['ippools,bgppeer']],
    ['get ippool ', ['IPPool.none']],
    ['get -o json ippool a ', ['IPPool.none']],
    ['get -n shop networkpolicy ', ['NetworkPolicy.shop']],
    ['get networkpolicy/', ['networkpolicy/NetworkPolicy.none']],
    ['get nosuchkind ', []],
    ['label node ', ['Node.none']],
    ['label node worker-1 ', []],
    ['node routes worker-1 ', ['Node.none']],
    ['node capture ', ['Pod.all', 'Node.none']],
    ['ipam show --node ', ['Node.none']],
    ['ipam release --handle ', ['IPAMHandle.none']],
    ['get -n ', ['Namespace.none']],
    ['ipam check --only INV-5', expect.arrayContaining(['INV-53'])],
    ['ipam check --only INV-45,INV-53', ['INV-45,INV-53']],
    ['explain F62', ['F62']],
    ['explain ippool.spec.blockS', ['ippool.spec.blockSize']],
    ['completion ', ['bash', 'zsh', 'fish', 'powershell']],
    ['--context ', ['prod', 'test']],
    ['get ippools --context=p', ['--context=prod']],
    ['wait ippool a --for ', ['create', 'delete', 'condition=', 'jsonpath=']],
    ['edit ippool ', ['IPPool.none']],
    ['nosuchcommand ', []],
    ['get -- --w', []],
  ])('calictl %s is completed with %j', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  it('files are offered where a path is expected, and only there', async () => {
    for (const line of [
      'apply -f ',
      'diff -f ',
      'edit -f ',
      'wait -f ',
      '--kubeconfig=',
      '--datastore ',
      'ipam release --from-report ',
    ]) {
      expect([line, await offersFiles(line)]).toEqual([line, true]);
    }
    for (const line of ['', 'get ', 'get ippool ', '--context ', 'get --sort-by ']) {
      expect([line, await offersFiles(line)]).toEqual([line, false]);
    }
  });

  it('no name is offered that a shell would take for more than a name', async () => {
    const hostile = [
      '$(id)',
      '`id`',
      'a b',
      'a\nb',
      'a\u001b[2J',
      'a;id',
      'a|b',
      'a>b',
      '~root',
      'a*',
      "a'b",
      'a\\b',
      'a&',
    ];
    expect(await offered('get ippool ', async () => [...hostile, 'pool-1'])).toEqual(['pool-1']);
  });
});

describe('the hidden command', () => {
  it('reads the names of the datastore that the line names', async () => {
    const { exit, stdout, stderr } = await runBuilt(['__complete', '--datastore', example, 'get', 'node', '']);
    expect({ exit, stdout, stderr }).toEqual({
      exit: 0,
      stdout: 'words\nworker-1\t\nworker-2\t\nworker-3\t\n',
      stderr: '',
    });
  });

  it.each([
    ['no datastore', ['get', 'node', '']],
    ['a directory that does not exist', ['--datastore', './nowhere', 'get', 'node', '']],
    ['a wrong flag before it', ['--bundle-limit', 'much', 'get', 'node', '']],
  ])('says nothing but that there are no names: %s', async (_, words) => {
    const { exit, stdout, stderr } = await runBuilt(['__complete', ...words], { env: { HOME: '/nonexistent' } });
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: 'words\n', stderr: '' });
  });

  it('completes the command line of calictl when kubectl runs it as its plugin calictl', async () => {
    const { stdout } = await run(['__complete', 'ipam', 'aff'], { programName: 'kubectl-calictl' });
    expect(stdout).toBe('words\naffinity\tShow and change which node owns which blocks\n');
  });

  it('offers the contexts of the kubeconfig that the line names, or that is used without one', async () => {
    const folder = testFolder();
    try {
      const config = (name: string): string =>
        `apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts: [{name: ${name}, context: {cluster: c, user: u}}]\n`;
      folder.write('one', config('from-flag'));
      folder.write('two', config('from-environment'));
      const env = { KUBECONFIG: join(folder.path, 'two') };
      const of = async (...words: string[]): Promise<string> => (await run(['__complete', ...words], { env })).stdout;
      expect(await of('get', 'ippools', '--context', '')).toBe('words\nfrom-environment\t\n');
      expect(await of('--kubeconfig', join(folder.path, 'one'), '--context', 'f')).toBe('words\nfrom-flag\t\n');
      expect(await of('--kubeconfig', join(folder.path, 'none'), '--context', '')).toBe('words\n');
    } finally {
      folder.remove();
    }
  });

  it('takes a single space for a word that is not begun, as PowerShell sends it', async () => {
    const line = ['__complete', '--datastore', example, 'get', 'node'];
    expect((await runBuilt([...line, ' '])).stdout).toBe('words\nworker-1\t\nworker-2\t\nworker-3\t\n');
  });

  it.each([
    [['ipam', 'aff'], 'affinity\tShow and change which node owns which blocks\n:4\n'],
    [['apply', '-f', ''], ':0\n'],
    [['--version'], ':4\n'],
    [['nosuchcommand', ''], ':4\n'],
  ])('kubectl_complete-calictl answers kubectl for %j in the way of plugins', async (words, answer) => {
    const { code, stdout, stderr } = await run(words, { programName: 'kubectl_complete-calictl' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(answer);
  });

  it('is not in the help', async () => {
    expect((await run('--help')).stdout).not.toContain('__complete');
  });
});

const has = (shell: string): boolean =>
  spawnSync(shell, ['--version']).status === 0 && spawnSync('script', ['--version']).status === 0;

/** An interactive shell on a terminal of its own, to type into. */
class Typing {
  readonly #child: ChildProcess;
  #seen = '';

  constructor(command: string) {
    this.#child = spawn('script', ['-qec', command, '/dev/null'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#seen += text;
    });
  }

  /** Types, and waits until the shell has shown the text. */
  async type(keys: string, text: string): Promise<string> {
    this.#seen = '';
    this.#child.stdin?.write(keys);
    await until(
      () => this.#seen.includes(text),
      () => `${text} after ${keys}: ${this.#seen}`,
      60_000,
    );
    return this.#seen;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.on('close', resolve));
    this.#child.stdin?.end('\u0015exit\n');
    await ended;
  }
}

const marked = `calictl() { if [ "$1" = __complete ]; then "$CALICTL_NODE" "$CALICTL" "$@"; else printf 'GOT[%s]' "$@"; echo; echo DO''NE; fi; }`;

describe.each([
  ['bash', 'bash --norc -i', ':'],
  ['zsh', 'zsh -f -i', 'autoload -Uz compinit; compinit -u -D'],
])('%s', (shell, command, prepare) => {
  let folder: TestFolder;
  let typing: Typing;

  beforeAll(async () => {
    if (!has(shell)) return;
    folder = testFolder();
    folder.write('rc', `CALICTL_NODE='${process.execPath}'; CALICTL='${program}'\n${marked}\n${prepare}\n`);
    typing = new Typing(command);
    await typing.type(
      `. ${folder.path}/rc; eval "$($CALICTL_NODE $CALICTL completion ${shell})"; echo LOA''DED\n`,
      'LOADED',
    );
  }, 60_000);

  afterAll(async () => {
    await typing?.close();
    folder?.remove();
  });

  it.skipIf(!has(shell)).each([
    ['vers\t', ['version']],
    ['get ippo\t', ['get', 'ippool']],
    ['get ippool --output=ya\t', ['get', 'ippool', '--output=yaml']],
    [
      '--datastore docs/examples/leaky-cluster get node worker-\t1',
      ['--datastore', 'docs/examples/leaky-cluster', 'get', 'node', 'worker-1'],
    ],
    [
      '--datastore=docs/examples/leaky-cl\tnodes.y\t get ippo\t',
      ['--datastore=docs/examples/leaky-cluster/nodes.yaml', 'get', 'ippool'],
    ],
  ])(
    `${shell} completes calictl %j`,
    async (keys, words) => {
      const seen = await typing.type(`calictl ${keys}\n`, 'DONE');
      expect([...seen.matchAll(/GOT\[([^\]]*)\]/g)].map(([, word]) => word)).toEqual(words);
    },
    90_000,
  );
});

describe('fish', () => {
  it.skipIf(spawnSync('fish', ['--version']).status !== 0)(
    'fish completes words, names and files',
    () => {
      const lines = [
        'calictl get ippo',
        'calictl --datastore docs/examples/leaky-cluster get node ',
        'calictl --datastore=docs/examples/leaky-cl',
      ];
      const script = [
        `function calictl; '${process.execPath}' '${program}' $argv; end`,
        'calictl completion fish | source',
        ...lines.map((line) => `complete -C '${line}'`),
      ];
      const { stdout } = spawnSync('fish', ['--no-config', '-c', script.join('\n')], { cwd: root, encoding: 'utf8' });
      expect(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => line.split('\t')[0]),
      ).toEqual(['ippool', 'worker-1', 'worker-2', 'worker-3', '--datastore=docs/examples/leaky-cluster/']);
    },
    60_000,
  );
});
