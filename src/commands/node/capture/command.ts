// calictl node capture: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { arg, flag, type InputOf, type PodName } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';
import { transportFlags } from '../../transport-flags.ts';

/** Where to capture: a pod, or by its name a node. */
type Subject = PodName | { readonly node: string };

function parseSubject(text: string): Subject | undefined {
  const [namespace = '', name = '', ...more] = text.split('/');
  if (!text.includes('/')) return { node: text };
  return namespace === '' || name === '' || more.length > 0 ? undefined : { namespace, name };
}

export const flags = {
  ...transportFlags,
  interface: flag
    .text('NAME', "interface of the node (default: the pod's host-side interface, or any for a node)")
    .short('i'),
  image: flag.text(
    'IMAGE',
    'run tcpdump from this image: adds an ephemeral container, which cannot be removed from the pod spec',
  ),
  write: flag.text('FILE', 'write pcap to a new file, or with - to standard output').short('w'),
  count: flag.count('N', 'stop after this many packets').short('c'),
  output: outputFlag('text', 'json').about('output format; json needs -w FILE and prints a summary'),
};

export const args = {
  subject: arg
    .parsed('WHAT', 'NAMESPACE/POD, or the name of a node', {
      noun: 'pod',
      hint: 'write it as NAMESPACE/NAME',
      parse: parseSubject,
    })
    .required(),
  filter: arg.text('FILTER', 'tcpdump filter, after --').repeatable().orEmpty(),
};

export type CaptureInput = InputOf<typeof flags, typeof args>;

export const nodeCapture = defineCommand({
  path: ['node', 'capture'],
  summary: 'Capture packets of a pod or a node',
  description:
    "Runs tcpdump on the node: on the host side of the pod's interface, or on an interface of the node. Packets are " +
    'printed as lines of text, or with -w written as pcap to a file or to standard output. The capture ends after ' +
    '--count packets or on Ctrl-C, and no tcpdump is left running on the node. Arguments after -- are a tcpdump ' +
    'filter.',
  examples: [
    { command: 'calictl node capture default/web-1 --via ssh', about: "a pod's packets as text" },
    { command: 'calictl node capture default/web-1 --via ssh -c 100 -w web.pcap', about: '100 packets into a file' },
    {
      command: 'calictl node capture default/web-1 --image nicolaka/netshoot',
      about: 'without SSH, from inside the pod',
    },
    {
      command: 'calictl node capture node-a -i eth0 --via ssh -w - -- tcp port 179 | wireshark -k -i -',
      about: 'live',
    },
  ],
  exitCodes: { 1: 'tcpdump failed, or the node was not reached', 4: 'refused: the file exists' },
  args,
  flags,
  load: () => import('./run.ts'),
});
