// A node and a pod as bare namespaces, in which calictl node wire works, and a way to cut one of its runs at any step.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programPath } from '../program/parts.ts';
import { fullListing, type Listing } from './full-listing.ts';
import { makeNamespace, type Namespace } from './network-namespace.ts';

export const wiringPrograms = ['ip', 'bridge', 'sysctl', 'nsenter', 'readlink', 'grep', 'bash', 'unshare'];

/** Where a run is cut: of this process so many steps are done, and then the process fails or calictl is killed. */
export interface Cut {
  readonly process: number;
  readonly done: number;
  readonly how: 'failure' | 'kill';
}

export interface Listings {
  readonly node: Listing;
  readonly pod: Listing;
}

/** One process of a run, as the journal has it. */
interface Begun {
  readonly argv: readonly string[];
  readonly stdin?: string;
}

export class WiringPlace {
  readonly node: Namespace;
  pod: Namespace;
  readonly folder: string;
  readonly journal: string;
  readonly #purpose: string;
  #pods = 0;

  constructor(purpose: string) {
    this.#purpose = purpose;
    this.folder = mkdtempSync(join(tmpdir(), 'calictl-wiring-'));
    this.journal = join(this.folder, 'journal.jsonl');
    this.node = makeNamespace(`${purpose}-node`);
    this.pod = this.#makePod();
    this.node.ip('link set lo up\n');
  }

  /** As container runtimes and other programs can leave it: none of the values that the plan sets. */
  #makePod(): Namespace {
    this.#pods += 1;
    const pod = makeNamespace(`${this.#purpose}-pod${this.#pods}`);
    const off = ['all', 'default', 'lo'].map((name) => `net/ipv6/conf/${name}/disable_ipv6=1`);
    pod.run('sysctl', '-qw', 'net/ipv4/ip_forward=1', 'net/ipv6/conf/all/forwarding=1', ...off);
    return pod;
  }

  /** Removes the pod with all that it had, and makes another. */
  newPod(): void {
    const leading = ['ip', '-o', 'link', 'show', 'type', 'veth'];
    const before = this.node.run(...leading).split('\n').length;
    const hadLink = this.pod.run(...leading) !== '';
    this.pod.remove();
    // The kernel removes a pair some time after the namespace of one of its ends.
    const end = Date.now() + 5_000;
    while (hadLink && this.node.run(...leading).split('\n').length === before && Date.now() < end);
    this.pod = this.#makePod();
  }

  /** The same, and forgets the journal. */
  replacePod(): void {
    this.newPod();
    rmSync(this.journal, { force: true });
  }

  /** The words of `calictl node COMMAND` on this pod. */
  argv(command: string, ...more: readonly string[]): string[] {
    const flags = ['--netns', this.pod.name, '--via', `netns:${this.node.name}`, '--interface', 'cali0123456789a'];
    return ['node', command, ...flags, '--journal', this.journal, ...more];
  }

  async listings(): Promise<Listings> {
    const [node, pod] = await Promise.all([fullListing(this.node.name), fullListing(this.pod.name)]);
    return { node, pod };
  }

  /** The lines of the journal. */
  entries(): readonly Record<string, unknown>[] {
    if (!existsSync(this.journal)) return [];
    const lines = readFileSync(this.journal, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Every point at which a run can be cut, by the journal of a whole one: before each step, and after the last of a process. */
  cuts(how: Cut['how']): Cut[] {
    const processes = this.entries().filter(({ phase }) => phase === 'before') as unknown as Begun[];
    return processes.flatMap((begun, index) =>
      Array.from({ length: stepsIn(begun) + 1 }, (_, done) => ({ process: index + 1, done, how })),
    );
  }

  /** The PATH with which a run is cut. */
  cutPath({ process, done, how }: Cut): string {
    const folder = join(this.folder, `cut-${process}-${done}-${how}`);
    mkdirSync(folder, { recursive: true });
    const path = `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${globalThis.process.env['PATH'] ?? ''}`;
    writeFileSync(join(folder, 'count'), '0');
    writeFileSync(join(folder, 'nsenter'), cuttingScript(folder, path, { process, done, how }));
    chmodSync(join(folder, 'nsenter'), 0o755);
    return `${folder}:${path}`;
  }

  remove(): void {
    this.pod.remove();
    this.node.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function stepsIn({ argv, stdin }: Begun): number {
  if (stdin !== undefined) return stdin.trim().split('\n').length;
  const at = argv.indexOf('-qw');
  return at < 0 ? 1 : argv.length - at - 1;
}

/** Is found before nsenter, with which every command of the transport begins; counts those that change something. */
function cuttingScript(folder: string, path: string, { process, done, how }: Cut): string {
  return `#!${programPath('bash')}
export PATH=${JSON.stringify(path)}
case "$*" in *readlink*|*" show "*|*" grep "*|*" cat "*) exec nsenter "$@" ;; esac
count=$(($(cat ${folder}/count) + 1))
echo "$count" >${folder}/count
[ "$count" = ${process} ] || exec nsenter "$@"
args=("$@")
case "$*" in
*" -batch "*) head -n ${done} | nsenter "$@" ;;
*" -qw "*)
  for i in "\${!args[@]}"; do [ "\${args[i]}" = -qw ] && first=$((i + 1)); done
  [ ${done} = 0 ] || nsenter "\${args[@]:0:$((first + ${done}))}" ;;
*) [ ${done} = 0 ] || nsenter "$@" ;;
esac
${how === 'kill' ? 'kill -KILL "$PPID"' : 'exit 1'}
`;
}
