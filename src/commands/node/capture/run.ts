// What calictl node capture does: runs tcpdump on the node of a pod or on a node, into a file or to standard output.
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { outputPath } from '../../../files/output-path.ts';
import type { NodeExec, NodeTarget, StreamOptions } from '../../../node-exec/node-exec.ts';
import { jsonDocument } from '../../../output/json-document.ts';
import { hostInterfaceName } from '../../../resources/convert/workload-endpoint-of-pod.ts';
import { pod } from '../../../resources/kinds/pod.ts';
import { CalictlError, exitCodes, RefusedError, systemText, UsageError } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import type { PodName } from '../../parameters.ts';
import { passedOnTo } from '../pass-on.ts';
import { targetNamed } from '../targets.ts';
import type { CaptureInput } from './command.ts';

/** Where packets are taken from. */
interface Place {
  readonly target: NodeTarget;
  readonly device: string;
  /** tcpdump runs in an ephemeral container of this image, added to the pod. */
  readonly container?: { readonly pod: PodName; readonly image: string };
}

/** What was captured, and tcpdump's exit code. */
interface Capture extends Pick<Place, 'device'> {
  readonly node: string;
  readonly exit: number;
  /** The file that the packets are in; undefined when they went to standard output. */
  readonly file?: string;
}

async function placeOf(ctx: Context, input: CaptureInput): Promise<Place> {
  const { subject, image, interface: device } = input;
  if ('node' in subject) {
    if (image !== undefined) throw new UsageError('--image requires a pod', 'leave it out for a node');
    const target = await targetNamed(
      ctx,
      subject.node,
      'calictl get nodes lists the nodes; a pod is written as NAMESPACE/NAME',
    );
    return { target, device: device ?? 'any' };
  }
  const { namespace, name } = subject;
  const store = await ctx.datastore();
  const { spec } = await store.get(pod, subject, { signal: ctx.world.signal });
  if (!spec?.nodeName) {
    throw new CalictlError(`pod ${namespace}/${name} is not scheduled to a node yet`, { code: 'POD_NOT_SCHEDULED' });
  }
  if (image !== undefined) {
    const target = await targetNamed(ctx, spec.nodeName);
    return { target, device: device ?? 'eth0', container: { pod: subject, image } };
  }
  if (spec.hostNetwork && device === undefined) {
    throw new CalictlError(`pod ${namespace}/${name} uses the host network and has no interface of its own`, {
      code: 'POD_HOST_NETWORK',
      hint: `Capture on the node: calictl node capture ${spec.nodeName} -i any`,
    });
  }
  return { target: await targetNamed(ctx, spec.nodeName), device: device ?? hostInterfaceName(namespace, name) };
}

/** Packets as lines of text, or as pcap; what follows `--` is one filter expression whatever it begins with. */
function tcpdumpArgv(device: string, { count, filter, write }: CaptureInput): string[] {
  return [
    'tcpdump',
    ...['-i', device, '-n', '-U'],
    ...(write === undefined ? ['-l'] : ['-w', '-']),
    ...(count === undefined ? [] : ['-c', String(count)]),
    '--',
    ...filter,
  ];
}

/** Creates a file. Errors: RefusedError when it exists: nothing is overwritten. */
async function newFile(path: string): Promise<WriteStream> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    await new Promise<void>((opened, failed) => file.once('open', () => opened()).once('error', failed));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new RefusedError(`${path} already exists`, 'FILE_EXISTS', 'specify another file with -w');
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
  { target, device, container }: Place,
  argv: readonly string[],
  onStdout: (bytes: Uint8Array) => Promise<void>,
): Promise<Capture> {
  const { io, signal } = ctx.world;
  const passOn = passedOnTo(io.stderr);
  let said = '';
  const options: StreamOptions = {
    signal: AbortSignal.any([signal, io.stdout.gone]),
    onStdout,
    onStderr: (bytes) => {
      said = (said + Buffer.from(bytes).toString()).slice(-4096);
      return passOn(bytes);
    },
  };
  if (container !== undefined && exec.streamInEphemeralContainer === undefined) {
    throw new UsageError('--image requires --via kube', 'no other transport adds containers to pods');
  }
  const exit =
    container === undefined || exec.streamInEphemeralContainer === undefined
      ? await exec.stream(target, argv, options)
      : await exec.streamInEphemeralContainer(container.pod, container.image, argv, options);
  if (exit === 127 || (exit !== 0 && /executable file not found|not found/.test(said))) {
    throw new CalictlError(
      container === undefined
        ? `there is no tcpdump on ${target.name} where ${exec.description} runs programs`
        : `the image ${container.image} has no tcpdump`,
      {
        code: 'NO_TCPDUMP',
        hint: "calico-node's image does not have it: use --via ssh, or for a pod --image with an image that does.",
      },
    );
  }
  return { node: target.name, device, exit };
}

export async function run(ctx: Context, input: CaptureInput): Promise<Capture> {
  const { write } = input;
  const toStdout = write === undefined || write === '-';
  if (toStdout && input.output === 'json') {
    throw new UsageError('-o json requires a file for the packets', 'specify it with -w');
  }
  const { cwd, io } = ctx.world;
  if (write === '-' && io.stdout.isTerminal) {
    throw new UsageError('packets are not written to a terminal', 'Specify a file with -w, or pipe them to a program.');
  }
  const [place, exec] = await Promise.all([placeOf(ctx, input), ctx.nodeExec(input)]);
  const argv = tcpdumpArgv(place.device, input);
  if (toStdout) return streamTo(ctx, exec, place, argv, passedOnTo(io.stdout));
  const file = await newFile(outputPath(cwd, write, await ctx.datastore(), 'the capture', '-w FILE'));
  try {
    return { ...(await streamTo(ctx, exec, place, argv, (bytes) => written(file, bytes))), file: write };
  } finally {
    await new Promise<void>((closed) => file.end(() => closed()));
    // Nothing was captured, not even the head of a pcap file: the name stays free.
    if (file.bytesWritten === 0) await rm(file.path);
  }
}

export const formats = {
  text: () => '',
  json: (capture: Capture) => jsonDocument({ kind: 'NodeCapture', ...capture }),
};

export const exit = ({ exit: code }: Capture): number => (code === 0 ? exitCodes.ok : exitCodes.failed);
