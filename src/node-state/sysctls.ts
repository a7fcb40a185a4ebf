// Kernel settings as `grep -rsH '' /proc/sys/...` prints them: one `path:value` per line.
import type { Parsed } from './parse-result.ts';
import { linesOf, notUnderstood, understood } from './parsing.ts';

const root = '/proc/sys/';

/**
 * Reads settings into a map by path below /proc/sys: `net/ipv4/conf/cali0/proxy_arp`. Paths keep their slashes, because
 * interface names may contain dots. Interface names contain no colon, so the first colon ends the path.
 */
export function parseSysctls(text: string): Parsed<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  const skipped: string[] = [];
  for (const line of linesOf(text).filter((candidate) => candidate !== '')) {
    const colon = line.indexOf(':');
    const path = line.slice(root.length, colon);
    if (line.startsWith(root) && colon > root.length && !/\s/.test(path))
      values.set(path, line.slice(colon + 1).trim());
    else skipped.push(line);
  }
  if (values.size === 0) return notUnderstood(`no setting found${skipped[0] === undefined ? '' : `: ${skipped[0]}`}`);
  return understood(values, skipped);
}
