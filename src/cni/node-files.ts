// Files that calico-node leaves on its node for the plugin: the name of the node, and the MTU of new pods.
import { hostname } from 'node:os';
import { mtuFile, mtuOfFile } from '../datapath/wire/mtu.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { systemText } from '../world/errors.ts';
import { CniError } from './protocol/cni-error.ts';
import type { NetConf } from './protocol/net-conf.ts';

async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Errors: CniError when calico-node has not written the file yet, unless the configuration does without it. */
export async function requireNodenameFile({ nodenameFile, nodenameFileOptional }: NetConf): Promise<void> {
  if (nodenameFileOptional) return;
  const hint = 'check that the calico/node container is running and has mounted /var/lib/calico/';
  try {
    if ((await textOf(nodenameFile)) !== undefined) return;
  } catch (error) {
    throw new CniError(`stat ${nodenameFile}: ${systemText(error)}: ${hint}`);
  }
  throw new CniError(`stat ${nodenameFile}: no such file or directory: ${hint}`);
}

/** The name of this node: configured, else in the file, else that of the machine. Blanks at its ends do not count. */
export async function nodenameOf({ nodename, nodenameFile, hostname: old }: NetConf): Promise<string> {
  if (nodename !== '') return nodename;
  const written = (await textOf(nodenameFile))?.trim() ?? '';
  return written || old || hostname().toLowerCase().trim();
}

/** The MTU in the file, undefined without a file. Errors: CniError for other text, and for a missing file that is required. */
export async function fileMtu({ requireMtuFile }: NetConf): Promise<number | undefined> {
  const failed = (why: string): CniError => new CniError(`failed to read MTU file: ${why}`);
  const text = await textOf(mtuFile);
  if (text === undefined) {
    if (requireMtuFile) throw failed(`open ${mtuFile}: no such file or directory`);
    return undefined;
  }
  const mtu = mtuOfFile(text);
  if (mtu === undefined) throw failed(`strconv.Atoi: parsing ${JSON.stringify(text.trim())}: invalid syntax`);
  return mtu;
}
