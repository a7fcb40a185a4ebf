// calictl cni: what it is called and takes.
import { defineCommand } from '../command.ts';

export const cni = defineCommand({
  path: ['cni'],
  summary: 'Connect pods as the CNI plugin of a node',
  description:
    'For container runtimes: the command and the container are read from the CNI_* environment variables, the network ' +
    'configuration from standard input, and the result is printed as versions 0.1.0 to 1.1.0 of the CNI specification say. ' +
    'Configurations are those of Calico. Called as calico or calico-ipam, calictl does the same up to version 1.0.0, as ' +
    "Calico's own plugins do. Without CNI_COMMAND it prints what it supports.",
  examples: [{ command: 'calictl cni', about: 'the versions of the specification that it supports' }],
  exitCodes: { 1: 'failed: the answer is an error of the CNI specification, as JSON' },
  args: {},
  flags: {},
  load: () => import('./run.ts'),
});
