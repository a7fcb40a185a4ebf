// calictl completion: what it is called and takes.
import { defineCommand } from '../command.ts';
import { arg, type InputOf } from '../parameters.ts';
import { outputFlag } from '../shared-flags.ts';
import { shells } from './scripts.ts';

export const flags = { output: outputFlag('text', 'json') };

export const args = {
  shell: arg.choice('SHELL', shells, 'the shell that the script is for').required(),
};

export type CompletionInput = InputOf<typeof flags, typeof args>;

export const completion = defineCommand({
  path: ['completion'],
  summary: 'Print the completion script for a shell',
  description:
    'After the script is loaded, Tab completes commands, flags and their values, kinds, IDs of findings, files, ' +
    'the names of objects, nodes, pools, namespaces and pods in the datastore that the command line names, and the ' +
    'contexts of the kubeconfig. Reading names takes two seconds at most. Names that the shell would interpret are not ' +
    'offered. The package has the scripts in completions/. kubectl 1.26 and later complete the words after "kubectl ' +
    'calictl" with the program kubectl_complete-calictl of the package. The script for PowerShell is tested as text only.',
  examples: [
    {
      command: 'calictl completion bash',
      about: 'the script for bash; load it with: source <(calictl completion bash)',
    },
    { command: 'calictl completion bash > /etc/bash_completion.d/calictl', about: 'for all users of bash' },
    {
      command: 'calictl completion zsh > ~/.zfunc/_calictl',
      about: 'zsh, with ~/.zfunc in fpath before compinit runs',
    },
    { command: 'calictl completion fish > ~/.config/fish/completions/calictl.fish', about: 'fish' },
    { command: 'calictl completion powershell', about: 'PowerShell; add the script to the file $PROFILE' },
  ],
  args,
  flags,
  load: () => import('./run.ts'),
});
