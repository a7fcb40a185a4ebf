// What calictl node run does: starts calico-node with Docker on this machine, or prints the command that would.
import { hostname } from 'node:os';
import { jsonDocument } from '../../../output/json-document.ts';
import { UsageError } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { progressStream, requireThisMachine } from '../local-host.ts';
import type { RunInput } from './command.ts';
import { dockerArgv, etcdOf, type Started, startedText } from './container.ts';
import { startNode } from './start.ts';

export async function run(ctx: Context, input: RunInput): Promise<Started> {
  requireThisMachine(ctx, { asRoot: !input.dryrun });
  const name = input.name ?? hostname().trim().toLowerCase();
  if (name === '') throw new UsageError('unable to determine node name', 'set it with --name', 'NODE_RUN');
  const etcd = etcdOf(await ctx.settings());
  if (etcd === undefined) {
    throw new UsageError(
      'unsupported backend specified in config',
      'node run works only with etcd: set DATASTORE_TYPE=etcdv3 and ETCD_ENDPOINTS; in Kubernetes, calico-node runs as a DaemonSet',
      'NODE_RUN',
    );
  }
  const argv = dockerArgv({
    name,
    image: input.nodeImage,
    backend: input.backend,
    logDir: input.logDir,
    ip: input.ip,
    ip6: input.ip6,
    ipMethod: input.ipAutodetectionMethod,
    ip6Method: input.ip6AutodetectionMethod,
    asNumber: input.as,
    noDefaultPools: input.noDefaultIppools,
    isService: input.initSystem,
    felixConfig: input.felixConfig,
    etcd,
  });
  if (!input.dryrun) await startNode(ctx, argv, progressStream(ctx, input));
  return { argv, isService: input.initSystem, started: !input.dryrun };
}

export const formats = {
  text: startedText,
  json: ({ argv, started }: Started) => jsonDocument({ kind: 'NodeRun', argv, started }),
};
