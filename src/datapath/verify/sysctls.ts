// Effective values of the kernel's interface settings: for some the greater of the interface's value and that of `all`
// applies, for some it is enough that one of them is set. Rules: docs/reference/datapath.md#settings-of-interfaces.
import type { Observed } from '../../node-state/probes.ts';
import { type Fact, type FactSpec, factOf, type Look } from './fact.ts';

export type Sysctls = ReadonlyMap<string, string>;

/** How the value of an interface and that of `all` combine. */
type Combination = 'own' | 'either' | 'greater';

const combinations: Readonly<Record<string, Combination>> = {
  'net/ipv4/conf/proxy_arp': 'either',
  'net/ipv4/conf/route_localnet': 'either',
  'net/ipv4/conf/rp_filter': 'greater',
};

/** The file of an interface setting. */
function sysctlPath(folder: string, device: string, name: string): string {
  return `/proc/sys/${folder}/${device}/${name}`;
}

/** The value that applies to an interface; undefined when it was not read. */
export function effectiveSysctl(sysctls: Sysctls, folder: string, device: string, name: string): number | undefined {
  const own = sysctls.get(`${folder}/${device}/${name}`);
  if (own === undefined) return undefined;
  const combination = combinations[`${folder}/${name}`] ?? 'own';
  const all = combination === 'own' ? '0' : (sysctls.get(`${folder}/all/${name}`) ?? '0');
  const [first, second] = [Number(own), Number(all)];
  return combination === 'either' ? Number(first !== 0 || second !== 0) : Math.max(first, second);
}

export interface SettingRule {
  readonly folder: string;
  readonly name: string;
  readonly value: number;
}

/** The fact that an interface setting has a value. */
export function settingFact(
  spec: Omit<FactSpec, 'fact' | 'expected' | 'command'>,
  observed: Observed<Sysctls>,
  device: string,
  { folder, name, value }: SettingRule,
): Fact {
  const path = sysctlPath(folder, device, name);
  const whole: FactSpec = {
    ...spec,
    fact: `${folder.includes('ipv6') ? 'IPv6 ' : ''}${name}`,
    expected: String(value),
    command: ['cat', path],
    remedy: { type: 'setting', side: 'node', path: `${folder}/${device}/${name}`, value },
  };
  return factOf(whole, observed, (sysctls): Look => {
    const seen = effectiveSysctl(sysctls, folder, device, name);
    if (seen === undefined) return { why: `${path} was not read` };
    return { seen: String(seen), isRight: seen === value };
  });
}
