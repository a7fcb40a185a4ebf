// States of nodes built from birdc's output, for tests of the diagnosis.
import type { BgpState } from '../../../src/bgp/observed-sessions.ts';
import { parseInterface } from '../../../src/net/cidr.ts';
import type { BirdRoute, BirdStatus } from '../../../src/node-state/bird/bird.ts';
import { parseBirdProtocols } from '../../../src/node-state/bird/protocols.ts';
import { parseBirdRoutes } from '../../../src/node-state/bird/routes.ts';
import { parseBirdStatus } from '../../../src/node-state/bird/status.ts';
import type { BirdState } from '../../../src/node-state/node-state.ts';
import type { Parsed } from '../../../src/node-state/parse-result.ts';
import type { Observed } from '../../../src/node-state/probes.ts';

export const noSocket =
  'Unable to connect to server control socket (/var/run/calico/bird.ctl): No such file or directory';

export interface BirdTexts {
  /** Rows of `show protocols` without the heading, one per line: `Mesh_10_0_0_2 BGP master up 14:00:00 Established`. */
  readonly rows?: string;
  /** Lines of `show route`. */
  readonly routes?: string;
  readonly routerId?: string;
  /** More lines of `show status`. */
  readonly status?: string;
  /** Why nothing is known: an error of birdc, or no response. */
  readonly unseen?: string;
}

const unseen = (why: string): { seen: false; why: string; argv: string[] } => ({ seen: false, why, argv: ['birdcl'] });

function observed<T>(parsed: Parsed<T>): Observed<T> {
  return parsed.ok ? { seen: true, value: parsed.value, argv: ['birdcl'] } : unseen(parsed.problem);
}

function birdOf({ rows = '', routes = '', routerId, status = '', unseen: why }: BirdTexts): BirdState {
  if (why !== undefined) return { status: unseen(why), protocols: unseen(why), routes: unseen(why) };
  const banner = 'BIRD 1.6.8 ready.\n';
  const id = routerId === undefined ? '' : `Router ID is ${routerId}\n`;
  const text = `${banner}BIRD 1.6.8\n${id}${status}Daemon is up and running\n`;
  const seenStatus: Observed<BirdStatus> = observed(parseBirdStatus(text));
  const seenRoutes: Observed<readonly BirdRoute[]> = observed(parseBirdRoutes(banner + routes, 4));
  const table = `${banner}name     proto    table    state  since       info\n${rows}`;
  return { status: seenStatus, protocols: observed(parseBirdProtocols(table)), routes: seenRoutes };
}

/** The state of a node: without texts its BIRDs run and have no protocols. */
export function bgpState(
  node: string,
  four: BirdTexts = {},
  {
    six = { unseen: noSocket },
    addresses,
    felix = 'live',
  }: { six?: BirdTexts; addresses?: readonly string[]; felix?: 'live' | 'not live' | 'not running' } = {},
): BgpState {
  return {
    node,
    bird: { 4: birdOf(four), 6: birdOf(six) },
    felix: { seen: true, value: felix, argv: [] },
    addresses:
      addresses === undefined
        ? unseen('not asked')
        : {
            seen: true,
            argv: [],
            value: addresses.flatMap((text) => {
              const read = parseInterface(text);
              return read === undefined
                ? []
                : [{ device: 'eth0', address: read.address, prefixLength: read.cidr.prefix, scope: 'global' }];
            }),
          },
  };
}

/** A row of a BGP protocol: `up` when it is Established, otherwise `start`; `down` without a BGP state. */
export function row(name: string, info = 'Established'): string {
  const state = info === '' ? 'down ' : info.startsWith('Established') ? 'up   ' : 'start';
  return `${name} BGP      master   ${state}  14:25:57    ${info}\n`;
}
