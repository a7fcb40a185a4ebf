// Judgements as one line each, so that a test can list everything that must be found in a snapshot.
import { evaluate } from '../../../src/ipam-check/evaluate.ts';
import type { Judgement } from '../../../src/ipam-check/finding.ts';
import type { IpamSnapshot } from '../../../src/ipam-check/snapshot.ts';

/** `INV-08 warning IPAMBlock/10-60-0-0-29 R2 also INV-09`; `(candidate)` and `by hand` where they apply. */
function brief({ finding, action }: Judgement): string {
  const { id, severity, stability, object, repair, also } = finding;
  const parts: string[] = [id, severity];
  if (stability === 'candidate') parts.push('(candidate)');
  parts.push(`${object.kind}/${object.namespace === undefined ? '' : `${object.namespace}/`}${object.name}`);
  if (repair?.automatic && action) parts.push(action.primitive);
  else if (action) parts.push('action without automatic repair');
  else if (repair) parts.push(repair.automatic ? 'automatic repair without action' : 'by hand');
  if (also.length > 0) parts.push(`also ${also.join(' ')}`);
  return parts.join(' ');
}

export function findingsOf(snapshot: IpamSnapshot): string[] {
  return evaluate(snapshot).judgements.map(brief);
}
