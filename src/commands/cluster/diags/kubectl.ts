// kubectl as cluster diags uses it: with our kubeconfig and context, capped, and with secrets taken out of what it prints.
import { runProgram } from '../../../node-exec/child-program.ts';
import type { CommandResult } from '../../../node-exec/node-exec.ts';
import { redacted } from '../../../output/redact.ts';
import type { KubeObject } from '../../../resources/object.ts';
import { redactObjects } from '../../../snapshot/redact-objects.ts';
import { parseJson } from '../../../text/json.ts';
import { printYaml } from '../../../text/yaml.ts';
import { CalictlError } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { publicKeys, type Task } from './plan.ts';

/** Largest output of one command, such as a log, in bytes: the rest is dropped. */
const maxBytes = 512 * 1024 * 1024;
const timeoutMs = 10 * 60_000;

/** Starts kubectl for each call; without a kubeconfig it finds its own. */
export class Kubectl {
  readonly #ctx: Context;
  readonly #kubeconfig: string | undefined;
  readonly #flags: readonly string[];

  constructor(ctx: Context, kubeconfig: string | undefined, context: string | undefined) {
    this.#ctx = ctx;
    this.#kubeconfig = kubeconfig;
    this.#flags = context === undefined ? [] : ['--context', context];
  }

  /** Errors: CalictlError when there is no kubectl; TransportError at the deadline and on Ctrl-C. */
  async run(argv: readonly string[]): Promise<CommandResult> {
    const { world } = this.#ctx;
    const env = this.#kubeconfig === undefined ? world.env : { ...world.env, KUBECONFIG: this.#kubeconfig };
    const child = { env, clock: world.clock, signalGroup: world.signalGroup };
    const result = await runProgram(['kubectl', ...this.#flags, ...argv], 'kubectl', child, {
      timeoutMs,
      maxBytes,
      signal: world.signal,
    });
    if (result.exit !== 127) return result;
    throw new CalictlError('missing dependency: unable to locate kubectl in PATH', {
      code: 'NO_KUBECTL',
      hint: 'Install kubectl, or use calictl snapshot save --nodes, which does not need it.',
    });
  }

  /** The items of a list, or the one object requested by name; none when kubectl failed. */
  async list(argv: readonly string[]): Promise<KubeObject[]> {
    const { exit, stdout } = await this.run(['get', ...argv, '-o', 'json']);
    if (exit !== 0 || stdout.trim() === '') return [];
    const answer = parseJson(stdout) as unknown as KubeObject & { items?: KubeObject[] };
    return answer.items ?? [answer];
  }

  /** What goes into the file of a task, and why kubectl failed if it did. */
  async fill({ argv, isYaml }: Task): Promise<{ text: string; failure: string | undefined }> {
    const { exit, stdout, stderr } = await this.run(isYaml ? [...argv, '-o', 'json'] : argv);
    const failure = exit === 0 ? undefined : redacted(stderr.trim());
    if (!isYaml || exit !== 0) return { text: redacted(stdout + (exit === 0 ? '' : stderr)), failure };
    return { text: yamlWithoutSecrets(parseJson(stdout)), failure };
  }
}

/** Objects as YAML, with secrets taken out. */
export function yamlWithoutSecrets(objects: unknown): string {
  return printYaml(redactObjects(objects, publicKeys, redacted));
}
