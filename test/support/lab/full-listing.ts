// Everything that a network namespace has: links, addresses, routes of all tables, rules, neighbours, forwarding entries and
// settings, as lines. Two listings of a namespace in which nothing was changed are equal.
import { printedBy, runProgram } from '../program/run-program.ts';
import { until } from '../program/until.ts';

/** Lines of each part. */
export type Listing = Readonly<Record<string, readonly string[]>>;

const settings = ['ipv4/conf', 'ipv4/neigh', 'ipv6/conf', 'ipv6/neigh', 'ipv4/ip_forward'];

/** A secret, which the kernel refuses to show before there is one. */
const isUnreadable = (line: string): boolean => line.includes('stable_secret');

/** What the kernel learns by itself is left out: neighbours that are not permanent. */
export async function fullListing(netns: string): Promise<Listing> {
  const inside = ['nsenter', `--net=/var/run/netns/${netns}`];
  const lines = async (...argv: readonly string[]): Promise<string[]> =>
    (await printedBy([...inside, ...argv])).split('\n').filter((line) => line !== '');
  // While the kernel looks for another owner of an IPv6 address, the address is tentative and has no route yet.
  await until(async () => (await lines('ip', '-o', 'addr', 'show', 'tentative')).length === 0, 'tentative addresses');
  const grep = [...inside, 'grep', '-rsH', '', ...settings.map((path) => `/proc/sys/net/${path}`)];
  const [links, addresses, routes4, routes6, rules, neighbours, fdb, read] = await Promise.all([
    lines('ip', '-d', '-o', 'link', 'show'),
    lines('ip', '-o', 'addr', 'show'),
    lines('ip', '-d', '-4', 'route', 'show', 'table', 'all'),
    lines('ip', '-d', '-6', 'route', 'show', 'table', 'all'),
    lines('ip', 'rule', 'show'),
    lines('ip', 'neigh', 'show', 'nud', 'permanent'),
    lines('bridge', 'fdb', 'show'),
    runProgram(grep),
  ]);
  const sysctls = read.stdout.split('\n').filter((line) => line !== '' && !isUnreadable(line));
  // The kernel lists what is removed and added again in another order.
  for (const part of [links, addresses, routes4, routes6, rules, neighbours, fdb, sysctls]) part.sort();
  return { links, addresses, routes4, routes6, rules, neighbours, fdb, sysctls };
}

/** The lines that are only in one of two listings of the same namespace: `-` before, `+` after. */
export function listingChanges(before: Listing, after: Listing): string[] {
  return Object.keys(before).flatMap((part) => {
    const [old, now] = [before[part] ?? [], after[part] ?? []];
    return [
      ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
      ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
    ];
  });
}
