// Runs another IPAM plugin, found in CNI_PATH, as the specification says: the same variables, the same configuration.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../node-exec/child-program.ts';
import { parseJson, printJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import type { PluginContext } from '../plugin-context.ts';
import { helperEnv } from '../programs.ts';
import { CniError } from '../protocol/cni-error.ts';
import { type CniResult, resultOf } from '../protocol/result.ts';

const timeoutMs = 90_000;

/** The plugin's path. Errors: CniError when no directory has it. */
function pluginPath(type: string, path: readonly string[]): string {
  if (type === '') throw new CniError('no plugin name provided');
  if (type.includes('/')) throw new CniError(`invalid plugin name: ${type}`);
  const found = path
    .map((directory) => join(directory, type))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
  if (found === undefined) {
    throw new CniError(`failed to find plugin ${JSON.stringify(type)} in path [${path.join(' ')}]`);
  }
  return found;
}

/** Runs the plugin with a configuration. Errors: CniError, that of the plugin where it answered with one. */
export async function delegate(
  { request, conf, world, log }: PluginContext,
  command: 'ADD' | 'DEL' | 'GC' | 'STATUS',
  raw: Readonly<Record<string, unknown>>,
): Promise<CniResult> {
  const program = pluginPath(conf.ipam.type, request.path);
  const env = {
    ...helperEnv(world.env),
    CNI_COMMAND: command,
    CNI_ARGS: ['IgnoreUnknown=1', request.args].filter((part) => part !== '').join(';'),
  };
  log.debug('running another plugin', { program, command });
  const child = { env, clock: world.clock, signalGroup: world.signalGroup };
  const { exit, stdout, stderr } = await runProgram([program], 'this node', child, {
    stdin: printJson(raw),
    timeoutMs,
  });
  const answer = readAnswer(stdout);
  if (exit === 0) return resultOf(answer);
  const { code, msg, details } = answer;
  if (typeof msg === 'string') {
    throw new CniError(msg, typeof code === 'number' ? code : undefined, typeof details === 'string' ? details : '');
  }
  throw new CniError(`plugin ${conf.ipam.type} failed with exit code ${exit}: ${(stderr || stdout).trim()}`);
}

function readAnswer(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = text.trim() === '' ? {} : parseJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
