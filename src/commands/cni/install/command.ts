// calictl cni install: what it is called and takes. What it does is in run.ts.
import { defineCommand } from '../../command.ts';
import { flag, type InputOf } from '../../parameters.ts';
import { outputFlag } from '../../shared-flags.ts';

export const flags = {
  credentials: flag.text('FILE', 'kubeconfig of the plugin, which is copied to the node; required the first time'),
  binDir: flag.text('DIR', 'directory of the plugins').default('/opt/cni/bin'),
  netDir: flag.text('DIR', 'directory of the network configurations').default('/etc/cni/net.d'),
  root: flag.text('DIR', 'where the root of the node is mounted, such as /host in a container').default('/'),
  confName: flag.text('NAME', 'file name of the network configuration').default('10-calico.conflist'),
  template: flag.text('FILE', "network configuration to write, with the placeholders of Calico's templates filled in"),
  mtu: flag.count('MTU', 'MTU of pods; 0 for that of calico-node', { min: 0, max: 65_536 }).default('0'),
  nodeName: flag.text('NAME', 'name of the node, for templates that contain it'),
  logLevel: flag.choice('LEVEL', ['debug', 'info', 'error'], 'what the plugin logs').default('info'),
  uninstall: flag.on('remove what was installed, and put the previous files back'),
  dryRun: flag.on('show what would change, write nothing'),
  output: outputFlag('text', 'json'),
};

export type InstallInput = InputOf<typeof flags>;

export const cniInstall = defineCommand({
  path: ['cni', 'install'],
  summary: 'Install calictl as the CNI plugin of this node',
  description:
    'Installs the program in the directory of the plugins, under the names calico and calico-ipam, and then a kubeconfig ' +
    'and a network configuration in the directory that the container runtime reads. An executable is copied; the program ' +
    'of the npm package is linked to. Each file is complete before it is put in place, and a new program must first start ' +
    'on this node. A file of another program is kept under another name, and --uninstall puts it back. If a file has ' +
    'changed since it was installed, --uninstall removes nothing.',
  examples: [
    { command: 'calictl cni install --credentials calico.kubeconfig --dry-run', about: 'what would be written' },
    { command: 'calictl cni install --credentials calico.kubeconfig', about: 'install, or update to this version' },
    {
      command:
        'calictl cni install --root /host --template /config/10-calico.conflist --credentials /config/kubeconfig',
      about: 'from a container that has the root of the node at /host',
    },
    { command: 'calictl cni install --uninstall', about: 'remove the installation' },
  ],
  exitCodes: { 4: 'refused: a file has changed since calictl wrote it, or cannot be replaced' },
  args: {},
  flags,
  load: () => import('./run.ts'),
});
