// `node status` as calicoctl has it: of this machine only, as root, from its processes and BIRD's sockets.

import { showProtocols } from '../../../node-exec/bird-socket.ts';
import { processArguments } from '../../../node-exec/processes.ts';
import { type CalicoctlPeer, calicoctlPeers } from '../../../node-state/bird/calicoctl-peers.ts';
import { CalictlError, exitCodes } from '../../../world/errors.ts';
import type { Context } from '../../command.ts';
import { requireCalicoctlMachine } from '../calicoctl-local-host.ts';
import { type CalicoctlFamily, calicoctlNodeStatusText } from './calicoctl-text.ts';

interface CalicoctlStatus {
  readonly families: readonly CalicoctlFamily[];
  /** Ends the command after what was printed. */
  readonly failure: CalictlError | undefined;
}

const readTimeoutMs = 2000;

/** The reply on the first socket that can be connected to. Errors: CalictlError of the last one, or of the reply. */
async function peersOf(version: 4 | 6): Promise<CalicoctlPeer[] | string> {
  const name = version === 4 ? 'bird.ctl' : 'bird6.ctl';
  const [first, second] = [`/var/run/calico/${name}`, `/var/run/bird/${name}`];
  const lines = await showProtocols(first, readTimeoutMs).catch((error: unknown) => {
    if (error instanceof CalictlError && error.code === 'BIRD_UNCONNECTED') return showProtocols(second, readTimeoutMs);
    throw error;
  });
  return calicoctlPeers(lines, version);
}

const failed = (text: string, cause?: unknown): CalictlError =>
  new CalictlError(`error executing command: ${text}`, { code: 'BIRD_NOT_UNDERSTOOD', cause });

/** Errors: StdoutFailure when this machine will not do; CalictlError when Calico does not run. */
export async function run(ctx: Context): Promise<CalicoctlStatus> {
  requireCalicoctlMachine(ctx, { asRoot: true });
  const processes = processArguments();
  const isFelix = ([program, argument]: string[]): boolean =>
    program === 'calico-felix' || program === 'calico-node' || argument === '-felix';
  if (!processes.some(isFelix)) {
    throw new CalictlError('Calico process is not running.', { code: 'CALICO_NOT_RUNNING' });
  }
  const families: CalicoctlFamily[] = [];
  for (const version of [4, 6] as const) {
    if (!processes.some(([program]) => program === (version === 4 ? 'bird' : 'bird6'))) {
      families.push({ version, state: 'not running' });
      continue;
    }
    try {
      const peers = await peersOf(version);
      if (typeof peers !== 'string') {
        families.push({ version, state: 'answered', peers });
        continue;
      }
      return { families: [...families, { version, state: 'not understood' }], failure: failed(peers) };
    } catch (error) {
      if (!(error instanceof CalictlError)) throw error;
      if (error.code !== 'BIRD_UNCONNECTED') {
        const ended: CalicoctlFamily = { version, state: 'not understood' };
        return { families: [...families, ended], failure: failed(error.message, error) };
      }
      families.push({ version, state: 'not connected', why: error.message });
    }
  }
  return { families, failure: undefined };
}

export const text = ({ families }: CalicoctlStatus): string => calicoctlNodeStatusText(families);

export const exit = ({ failure }: CalicoctlStatus): number => (failure === undefined ? exitCodes.ok : exitCodes.failed);

export const errors = ({ failure }: CalicoctlStatus): readonly Error[] => (failure === undefined ? [] : [failure]);
