// calictl node capture: packets of a pod's interface or of a node's, by tcpdump where the node has it.
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { NodeExec, NodeTarget, StreamOptions } from '../../../node-exec/node-exec.ts';
import { CalictlError, exitCodes, RefusedError, systemText, UsageError } from '../../../world/errors.ts';
import { type Context, defineCommand, type Input } from '../../command.ts';
import { outputFlag } from '../../shared-flags.ts';
import { targetNamed } from '../targets.ts';
import { transportFlags } from '../transport-flags.ts';

/** Where packets are taken from. */
interface Place {
  readonly target: NodeTarget;
  readonly device: string;
  /** Where tcpdump comes from: a container of this image is added to the pod. */
  readonly beside?: { readonly pod: { readonly namespace: string; readonly name: string }; readonly image: string };
}

/** Packets were taken; tcpdump's exit code. */
interface Capture extends Pick<Place, 'device'> {
  readonly node: string;
  readonly exit: number;
  /** The file that the packets are in; undefined when they went to standard output. */
  readonly file?: string;
}

/** NAMESPACE/NAME is a pod, anything else a node; -i names an interface of the node in place of the pod's. */
async function placeOf(ctx: Context, input: Input): Promise<Place> {
  const [what = ''] = input.args;
  const device = input.text('interface');
  const image = input.text('image');
  if (image === '' || (image !== undefined && !what.includes('/'))) {
    throw new UsageError('--image takes an image to add to a pod', 'for a node leave it out');
  }
  if (device === '') throw new UsageError('--interface is empty', 'name an interface of the node');
  if (!what.includes('/')) {
    const target = await targetNamed(ctx, what, 'See calictl get nodes; a pod is written as NAMESPACE/NAME.');
    return { target, device: device ?? 'any' };
  }
  const [namespace = '', name = '', ...more] = what.split('/');
  if (namespace === '' || name === '' || more.length > 0) {
    throw new UsageError(`'${what}' is no pod`, 'write it as NAMESPACE/NAME');
  }
  const [store, { pod }, { hostInterfaceName }] = await Promise.all([
    ctx.datastore(),
    import('../../../resources/kinds/pod.ts'),
    import('../../../resources/convert/workload-endpoint-of-pod.ts'),
  ]);
  const { spec } = await store.get(pod, { namespace, name }, { signal: ctx.world.signal });
  if (!spec?.nodeName) throw new CalictlError(`pod ${what} is on no node yet`, { code: 'POD_NOT_SCHEDULED' });
  if (image !== undefined) {
    const target = await targetNamed(ctx, spec.nodeName);
    return { target, device: device ?? 'eth0', beside: { pod: { namespace, name }, image } };
  }
  if (spec.hostNetwork && device === undefined) {
    throw new CalictlError(`pod ${what} uses the network of its node and has no interface of its own`, {
      code: 'POD_HOST_NETWORK',
      hint: `Capture on the node: calictl node capture ${spec.nodeName} -i any`,
    });
  }
  return { target: await targetNamed(ctx, spec.nodeName), device: device ?? hostInterfaceName(namespace, name) };
}

/** Packets as lines of text, or as pcap; what follows `--` is one filter expression whatever it begins with. */
function tcpdumpArgv(device: string, input: Input, pcap: boolean): string[] {
  const count = input.text('count');
  if (count !== undefined && !/^[1-9]\d{0,9}$/.test(count)) {
    throw new UsageError(`--count does not take '${count}'`, 'a number from 1');
  }
  return [
    'tcpdump',
    ...['-i', device, '-n', '-U'],
    ...(pcap ? ['-w', '-'] : ['-l']),
    ...(count === undefined ? [] : ['-c', count]),
    '--',
    ...input.args.slice(1),
  ];
}

/** A new file; what is there already is never written over. */
async function newFile(path: string): Promise<WriteStream> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    await new Promise<void>((opened, failed) => file.once('open', () => opened()).once('error', failed));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new RefusedError(`${path} exists already`, 'FILE_EXISTS', 'name another file with -w');
    }
    throw new CalictlError(`${path} cannot be written: ${systemText(error)}`, {
      code: 'FILE_UNWRITABLE',
      cause: error,
    });
  }
  return file;
}

function written(file: WriteStream, bytes: Uint8Array): Promise<void> {
  return new Promise((done, failed) => {
    file.write(bytes, (error) => (error ? failed(error) : done()));
  });
}

async function streamTo(
  ctx: Context,
  exec: NodeExec,
  { target, device, beside }: Place,
  argv: readonly string[],
  onStdout: (bytes: Uint8Array) => Promise<void>,
): Promise<Capture> {
  const { io, signal } = ctx.world;
  let said = '';
  const options: StreamOptions = {
    signal: AbortSignal.any([signal, io.stdout.gone]),
    onStdout,
    onStderr: (bytes) => {
      said = (said + Buffer.from(bytes).toString()).slice(-4096);
      return io.stderr.write(bytes);
    },
  };
  if (beside !== undefined && exec.streamInEphemeralContainer === undefined) {
    throw new UsageError('--image needs --via kube', 'no other way adds containers to pods');
  }
  const exit =
    beside === undefined || exec.streamInEphemeralContainer === undefined
      ? await exec.stream(target, argv, options)
      : await exec.streamInEphemeralContainer(beside.pod, beside.image, argv, options);
  if (exit === 127 || (exit !== 0 && /executable file not found|not found/.test(said))) {
    throw new CalictlError(
      beside === undefined
        ? `${target.name} has no tcpdump where ${exec.description} runs programs`
        : `the image ${beside.image} has no tcpdump`,
      {
        code: 'NO_TCPDUMP',
        hint: "calico-node's image has none: use --via ssh, or for a pod --image with an image that has it.",
      },
    );
  }
  return { node: target.name, device, exit };
}

async function run(ctx: Context, input: Input): Promise<Capture> {
  const path = input.text('write');
  const toStdout = path === undefined || path === '-';
  if (toStdout && input.text('output') === 'json') {
    throw new UsageError('with -o json packets need a file', 'name it with -w');
  }
  const argvOf = (device: string): string[] => tcpdumpArgv(device, input, path !== undefined);
  argvOf('any');
  const [place, exec] = await Promise.all([placeOf(ctx, input), ctx.nodeExec(input)]);
  const argv = argvOf(place.device);
  if (toStdout) {
    return streamTo(ctx, exec, place, argv, (bytes) => ctx.world.io.stdout.write(bytes));
  }
  const file = await newFile(resolve(ctx.world.cwd, path));
  try {
    return { ...(await streamTo(ctx, exec, place, argv, (bytes) => written(file, bytes))), file: path };
  } finally {
    await new Promise<void>((closed) => file.end(() => closed()));
    // Nothing was captured, not even the head of a pcap file: the name stays free.
    if (file.bytesWritten === 0) await rm(file.path);
  }
}

export const nodeCapture = defineCommand<Capture>({
  path: ['node', 'capture'],
  summary: 'Capture packets of a pod or a node',
  description:
    "Runs tcpdump on the node: on the host's end of the pod's interface, or on an interface of the node. Packets come " +
    'as lines of text, with -w as a pcap file or stream. It ends after --count packets or on Ctrl-C, and no tcpdump ' +
    'stays on the node. What follows two dashes is a filter of tcpdump.',
  examples: [
    { command: 'calictl node capture shop/cart-0 --via ssh', about: "a pod's packets as text" },
    { command: 'calictl node capture shop/cart-0 --via ssh -c 100 -w cart.pcap', about: '100 packets into a file' },
    {
      command: 'calictl node capture shop/cart-0 --image nicolaka/netshoot',
      about: 'without SSH, from inside the pod',
    },
    {
      command: 'calictl node capture node-a -i eth0 --via ssh -w - -- tcp port 179 | wireshark -k -i -',
      about: 'live',
    },
  ],
  args: [
    { name: 'WHAT', about: 'NAMESPACE/POD, or the name of a node', required: true },
    { name: 'FILTER', about: 'filter of tcpdump, after two dashes', variadic: true },
  ],
  flags: [
    ...transportFlags.filter(({ name }) => name !== 'timeout' && name !== 'parallel'),
    {
      name: 'interface',
      short: 'i',
      value: 'NAME',
      about: "interface of the node; default: the pod's, for a node any",
    },
    {
      name: 'image',
      value: 'IMAGE',
      about: 'take tcpdump from this image: a container of it is added to the pod, and stays in its list',
    },
    { name: 'write', short: 'w', value: 'FILE', about: 'pcap into a new file, - for standard output' },
    { name: 'count', short: 'c', value: 'N', about: 'end after this many packets' },
    { ...outputFlag('text', 'json'), about: 'json: packets into a file only, and what was done as JSON' },
  ],
  calicoctl: false,
  guarded: false,
  run,
  format: (input) => input.text('output') ?? 'text',
  formats: {
    text: () => '',
    json: async (capture) =>
      (await import('../../../output/json-document.ts')).jsonDocument({ kind: 'NodeCapture', ...capture }),
  },
  exit: ({ exit }) => (exit === 0 ? exitCodes.ok : exitCodes.failed),
});
