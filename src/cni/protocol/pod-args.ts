// CNI_ARGS: which pod a container belongs to, and the address that it requests.
import { type IpAddress, parseIp } from '../../net/ip.ts';
import { CniError } from './cni-error.ts';

export interface PodArgs {
  /** Empty outside Kubernetes, like the name. */
  readonly namespace: string;
  readonly pod: string;
  readonly infraContainerId: string;
  readonly ip: IpAddress | undefined;
}

const texts: Readonly<Record<string, keyof Pick<PodArgs, 'namespace' | 'pod' | 'infraContainerId'>>> = {
  K8S_POD_NAMESPACE: 'namespace',
  K8S_POD_NAME: 'pod',
  K8S_POD_INFRA_CONTAINER_ID: 'infraContainerId',
};

/** Reads `KEY=value;KEY=value`. Errors: CniError for text that is not a pair, a wrong value, and an unknown key unless
 * IgnoreUnknown says otherwise. */
export function podArgsOf(text: string): PodArgs {
  const read = { namespace: '', pod: '', infraContainerId: '', ip: undefined as IpAddress | undefined };
  const unknown: string[] = [];
  let ignoresUnknown = false;
  for (const pair of text === '' ? [] : text.split(';')) {
    const [key = '', value, ...more] = pair.split('=');
    if (value === undefined || more.length > 0) throw new CniError(`ARGS: invalid pair ${JSON.stringify(pair)}`);
    const wrong = (why: string): CniError =>
      new CniError(`ARGS: error parsing value of pair ${JSON.stringify(pair)}: ${why}`);
    const field = texts[key];
    if (field !== undefined) read[field] = value;
    else if (key === 'IgnoreUnknown') {
      if (!/^(0|1|true|false)$/i.test(value)) throw wrong(`boolean unmarshal error: invalid input ${value}`);
      ignoresUnknown = /^(1|true)$/i.test(value);
    } else if (key === 'IP') {
      read.ip = value === '' ? undefined : parseIp(value);
      if (value !== '' && read.ip === undefined) throw wrong(`invalid IP address: ${value}`);
    } else unknown.push(pair);
  }
  if (unknown.length > 0 && !ignoresUnknown) {
    throw new CniError(`ARGS: unknown args [${unknown.map((pair) => JSON.stringify(pair)).join(' ')}]`);
  }
  return read;
}
