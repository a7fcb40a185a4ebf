// What calictl explain does: finds the topic in the catalogues of findings and in the tables of kinds.
import { faultOfId } from '../../faults/faults.ts';
import { invariants, parseInvariantId } from '../../ipam-check/invariants.ts';
import { explainField, explainKind } from '../../resources/explain.ts';
import { isOnCommandLine } from '../../resources/kind.ts';
import { findKind, kinds } from '../../resources/kinds.ts';
import { closest } from '../../text/closest.ts';
import { UsageError } from '../../world/errors.ts';
import type { Context } from '../command.ts';
import type { ExplainInput } from './command.ts';
import { type Explanation, explanationJson, explanationText, type FindingExplanation } from './text.ts';

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
  const looksLikeId = /^(inv|f)-?\d/i.test(topic);
  if (looksLikeId) {
    const pages = 'docs/reference/invariants.md and docs/reference/node-faults.md list all of them';
    return new UsageError(`no finding has the ID ${topic}`, pages, 'UNKNOWN_TOPIC');
  }
  const names = kinds.filter(isOnCommandLine).flatMap(({ aliases }) => aliases);
  const similar = closest(topic.split('.')[0] ?? '', names);
  const kindNames = kinds.filter(isOnCommandLine).map(({ aliases }) => aliases[0]);
  const known = `use an ID such as INV-45 or F62, or a kind: ${kindNames.join(', ')}`;
  const hint = similar === undefined ? known : `did you mean ${similar}?`;
  return new UsageError(
    `nothing to explain: ${topic} is neither the ID of a finding nor a kind`,
    hint,
    'UNKNOWN_TOPIC',
  );
}

export async function run(_ctx: Context, { topic }: ExplainInput): Promise<Explanation> {
  const finding = findingOf(topic);
  if (finding !== undefined) return { type: 'finding', finding };
  const found = kindOrField(topic);
  if (found === undefined) throw unknownTopic(topic);
  return found;
}

export const formats = { text: explanationText, json: explanationJson };
