// What calictl explain does: finds the topic in the catalogues of findings and in the tables of kinds.
import { faultOfId, faults } from '../../faults/faults.ts';
import { invariantIds, invariants, parseInvariantId } from '../../ipam-check/invariants.ts';
import { explainField, explainKind } from '../../resources/explain.ts';
import { isOnCommandLine } from '../../resources/kind.ts';
import { findKind, kinds, similarKindName } from '../../resources/kinds.ts';
import { closest } from '../../text/closest.ts';
import { UsageError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import type { ExplainInput } from './command.ts';
import { type Explanation, explanationJson, explanationText, type FindingExplanation, type TopicList } from './text.ts';

/** Topics that list the others. */
const lists: ReadonlyMap<string, () => TopicList> = new Map<string, () => TopicList>([
  ['invariants', () => ({ findings: invariantIds.map((id) => ({ id, ...invariants[id] })) })],
  ['faults', () => ({ findings: Object.values(faults).sort((a, b) => numberOf(a.id) - numberOf(b.id)) })],
  ['kinds', () => ({ kinds: kinds.filter(isOnCommandLine) })],
]);

const numberOf = (id: string): number => Number(id.slice(1));

/** A finding by its id with its letters: a number alone could be one of either catalogue. */
function findingOf(topic: string): FindingExplanation | undefined {
  const invariant = /^inv/i.test(topic) ? parseInvariantId(topic) : undefined;
  if (invariant !== undefined) return { id: invariant, ...invariants[invariant] };
  return /^f/i.test(topic) ? faultOfId(topic) : undefined;
}

/** A kind, or a field after the first dot. Errors: UsageError for a field that the kind does not have. */
function kindOrField(topic: string): Explanation | undefined {
  const [word = '', ...path] = topic.split('.');
  const kind = findKind(word);
  if (kind === undefined) return undefined;
  if (path.length === 0) return { type: 'resource', resource: explainKind(kind) };
  return { type: 'field', resource: kind.kind, field: explainField(kind, path.join('.')) };
}

function unknownTopic(topic: string): UsageError {
  const [, letters] = /^(inv|f)-?\d/i.exec(topic) ?? [];
  if (letters !== undefined) {
    const list = letters.toLowerCase() === 'f' ? 'faults' : 'invariants';
    return new UsageError(`no finding has the ID ${topic}`, `calictl explain ${list} lists the IDs`, 'UNKNOWN_TOPIC');
  }
  const similar = closest(topic, [...lists.keys()]) ?? similarKindName(topic.split('.')[0] ?? '');
  const known = 'use an ID such as INV-45 or F62, or a kind; calictl explain invariants, faults or kinds lists them';
  const hint = similar === undefined ? known : `did you mean ${similar}?`;
  return new UsageError(
    `nothing to explain: ${topic} is neither the ID of a finding nor a kind`,
    hint,
    'UNKNOWN_TOPIC',
  );
}

export async function run(_ctx: Context, { topic }: ExplainInput): Promise<Explanation> {
  const list = lists.get(topic.toLowerCase());
  if (list !== undefined) return { type: 'list', list: list() };
  const finding = findingOf(topic);
  if (finding !== undefined) return { type: 'finding', finding };
  const found = kindOrField(topic);
  if (found === undefined) throw unknownTopic(topic);
  return found;
}

export const formats = { text: explanationText, json: explanationJson };
