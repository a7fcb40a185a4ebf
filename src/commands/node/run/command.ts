// calictl node run: what it is called and takes. What it does is in run.ts, as calicoctl in calicoctl.ts.
import { UsageError } from '../../../world/errors.ts';
import { defineCalicoctl, defineCommand } from '../../command.ts';
import { flag, type InputOf, type Parameter } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';

function addressFlag(version: 4 | 6): Parameter<string | undefined, string> {
  return flag.parsed('IP', `IPv${version} address of the node, or autodetect`, {
    noun: `IPv${version} address`,
    hint: `use an IPv${version} address or autodetect`,
    parse: async (text) => {
      if (text === 'autodetect') return text;
      const { parseIp } = await import('../../../net/ip.ts');
      return parseIp(text)?.version === version ? text : undefined;
    },
  });
}

function methodFlag(version: 4 | 6, about: string): Parameter<string, string> {
  return flag
    .parsed('METHOD', about, {
      noun: 'method',
      hint: 'use first-found, can-reach=HOST, interface=REGEX,… or skip-interface=REGEX,…',
      parse: async (text) => {
        const { methodProblem } = await import('./autodetection.ts');
        const problem = await methodProblem(text, version);
        if (problem !== undefined) throw new UsageError(problem, undefined, 'NODE_RUN');
        return text;
      },
    })
    .default('first-found');
}

export const flags = {
  ip: addressFlag(4),
  ip6: addressFlag(6),
  as: flag.parsed('NUMBER', 'AS number of the node', {
    noun: 'AS number',
    hint: 'write it like 64513 or 1.10',
    parse: async (text) => (await import('../../../resources/convert/node-annotations.ts')).parseAsNumber(text),
  }),
  name: flag.text('NAME', 'name of the node (default: the host name)'),
  ipAutodetectionMethod: methodFlag(4, 'first-found, can-reach=HOST, interface=REGEX,… or skip-interface=REGEX,…'),
  ip6AutodetectionMethod: methodFlag(6, 'the same for IPv6'),
  logDir: flag.text('DIR', "directory of Calico's logs").default('/var/log/calico'),
  nodeImage: flag.text('IMAGE', 'image of calico-node').default('quay.io/calico/node:latest'),
  backend: flag
    .choice('BACKEND', ['bird', 'none'], 'how routes are distributed, or none for policy only. One of')
    .default('bird'),
  felixConfig: flag.text('FILE', "file with Felix's configuration"),
  noDefaultIppools: flag.on('do not create pools at the first start'),
  dryrun: flag.on('print the command, without running it'),
  initSystem: flag.on('for an init system: run in the foreground, remove the container when it ends'),
  output: outputFlag('text', 'json'),
};

export type RunInput = InputOf<typeof flags>;

const calicoctlFlags = {
  ip: flag.text('IP', 'IPv4 address of the node, or autodetect'),
  ip6: flag.text('IP6', 'IPv6 address of the node, or autodetect'),
  as: flag.text('AS_NUM', 'AS number of the node'),
  name: flag.text('NAME', 'name of the node; default: the host name'),
  ipAutodetectionMethod: flag
    .text('IP_AUTODETECTION_METHOD', 'first-found, can-reach=HOST, interface=REGEX,… or skip-interface=REGEX,…')
    .default('first-found'),
  ip6AutodetectionMethod: flag.text('IP6_AUTODETECTION_METHOD', 'the same for IPv6').default('first-found'),
  logDir: flag.text('LOG_DIR', "folder of Calico's logs").default('/var/log/calico'),
  nodeImage: flag.text('DOCKER_IMAGE_NAME', 'image of calico-node').default('quay.io/calico/node:latest'),
  backend: flag.text('(bird|none)', 'none: policy only, no routing').default('bird'),
  felixConfig: flag.text('CONFIG', "file with Felix's configuration"),
  noDefaultIppools: flag.on('make no pools at the first start'),
  dryrun: flag.on('print the command only'),
  initSystem: flag.on('for an init system: in the foreground, removed when it ends'),
};

export type CalicoctlRunInput = InputOf<typeof calicoctlFlags>;

export const nodeRun = defineCommand({
  path: ['node', 'run'],
  summary: 'Start calico-node with Docker on this machine',
  description:
    'For machines outside of Kubernetes, with etcd as datastore. Loads modules and enables forwarding, then replaces the ' +
    'container and waits until it reports that it started. Must be run as root, except with --dryrun.',
  examples: [
    { command: 'calictl node run --dryrun', about: 'the command, without running it' },
    { command: 'calictl node run --ip autodetect --as 64513', about: 'with an AS number of its own' },
  ],
  args: {},
  flags,
  load: () => import('./run.ts'),
  calicoctl: defineCalicoctl({
    args: {},
    flags: calicoctlFlags,
    guarded: false,
    usage: `node run [--ip=<IP>] [--ip6=<IP6>] [--as=<AS_NUM>]
                     [--name=<NAME>]
                     [--ip-autodetection-method=<IP_AUTODETECTION_METHOD>]
                     [--ip6-autodetection-method=<IP6_AUTODETECTION_METHOD>]
                     [--log-dir=<LOG_DIR>]
                     [--node-image=<DOCKER_IMAGE_NAME>]
                     [--backend=(bird|none)]
                     [--config=<CONFIG>]
                     [--felix-config=<CONFIG>]
                     [--no-default-ippools]
                     [--dryrun]
                     [--init-system]
                     [--allow-version-mismatch]`,
    description:
      'Start calico-node with Docker on this machine.\n' +
      'For machines outside of Kubernetes, with etcd as datastore. Loads modules and enables forwarding, then replaces ' +
      'the container and waits until it says that it started. Needs root, but for --dryrun.',
    load: () => import('./calicoctl.ts'),
  }),
});
