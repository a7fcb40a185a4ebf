// `node run` as calicoctl has it: its checks in its order and words, then the same container.
import { hostname } from 'node:os';
import { parseIp } from '../../../net/ip.ts';
import { parseAsNumber } from '../../../resources/convert/node-annotations.ts';
import { CalictlError, StdoutFailure } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { requireCalicoctlMachine } from '../calicoctl-local-host.ts';
import { methodProblem } from './autodetection.ts';
import type { CalicoctlRunInput } from './command.ts';
import { dockerArgv, etcdOf, type NodeContainer, type Started, startedText } from './container.ts';
import { startNode } from './start.ts';

const failed = (text: string): CalictlError =>
  new CalictlError(`error executing command: ${text}`, { code: 'NODE_RUN' });

const unreadable = (text: string): StdoutFailure => new StdoutFailure(`Error executing command: ${text}`);

/** --ip and --ip6. Errors: StdoutFailure for a text that is not an address, CalictlError for the other version of IP. */
function addressOf(flag: 'ip' | 'ip6', text: string | undefined): string | undefined {
  if (text === undefined || text === '' || text === 'autodetect') return text || undefined;
  const ip = parseIp(text);
  if (ip === undefined) throw unreadable(`invalid IP address specified: ${text}`);
  if (ip.version !== (flag === 'ip' ? 4 : 6)) throw failed(`--${flag} is wrong IP version`);
  return text;
}

function asNumberOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const number = parseAsNumber(text);
  if (number === undefined) throw unreadable(`invalid AS Number specified: ${text}`);
  return number;
}

async function methodOf(method: string, version: 4 | 6): Promise<string> {
  const problem = await methodProblem(method, version);
  if (problem !== undefined) throw failed(problem);
  return method;
}

async function containerOf(ctx: Context, input: CalicoctlRunInput): Promise<NodeContainer> {
  const [ip, ip6] = [addressOf('ip', input.ip), addressOf('ip6', input.ip6)];
  const asNumber = asNumberOf(input.as);
  const { backend } = input;
  if (backend !== 'bird' && backend !== 'none') throw failed(`unknown backend '${backend}'`);
  const ipMethod = await methodOf(input.ipAutodetectionMethod, 4);
  const ip6Method = await methodOf(input.ip6AutodetectionMethod, 6);
  const name = input.name || hostname().trim().toLowerCase();
  if (name === '') throw failed('unable to determine node name');
  const etcd = etcdOf(await ctx.settings());
  if (etcd === undefined) throw failed('unsupported backend specified in config');
  return {
    name,
    image: input.nodeImage,
    backend,
    logDir: input.logDir,
    ip,
    ip6,
    ipMethod,
    ip6Method,
    asNumber,
    noDefaultPools: input.noDefaultIppools,
    isService: input.initSystem,
    felixConfig: input.felixConfig,
    etcd,
  };
}

export async function run(ctx: Context, input: CalicoctlRunInput): Promise<Started> {
  requireCalicoctlMachine(ctx, { asRoot: !input.dryrun });
  const container = await containerOf(ctx, input);
  const argv = dockerArgv(container);
  if (!input.dryrun) {
    await startNode(ctx, argv, ctx.world.io.stdout).catch((error: unknown) => {
      throw error instanceof CalictlError && error.code === 'NODE_RUN' ? failed(error.message) : error;
    });
  }
  return { argv, isService: container.isService, started: !input.dryrun };
}

export const text = startedText;
