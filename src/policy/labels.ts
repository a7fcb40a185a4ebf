// Labels of which some may not have been read, and what the selectors of Calico and of Kubernetes say about them.
import { type Labels, parseSelector } from '../resources/selector.ts';
import type { Match } from './match.ts';

/** Labels; `unread` says why there may be others than the known ones. */
export interface LabelSet {
  readonly known: Labels;
  readonly unread?: string | undefined;
}

export const noLabels: LabelSet = { known: {} };

/** The labels with a note of whether a label that is not among the known ones was looked up. */
function watched(known: Labels): { readonly labels: Labels; readonly missed: () => boolean } {
  let missed = false;
  const note = (key: string | symbol): void => {
    if (!Object.hasOwn(known, key)) missed = true;
  };
  const labels = new Proxy(known, {
    getOwnPropertyDescriptor(target, key) {
      note(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    get(target, key) {
      note(key);
      return Reflect.get(target, key);
    },
    has(target, key) {
      note(key);
      return Reflect.has(target, key);
    },
  });
  return { labels, missed: () => missed };
}

/**
 * Whether a selector of Calico selects the labels. Not known when the answer rests on a label that was not read: then it
 * looked at one that is not among the known ones. Errors: SelectorError for a text that is not a selector.
 */
export function selects(selector: string, { known, unread }: LabelSet): Match {
  const test = parseSelector(selector);
  if (unread === undefined) return test(known);
  const { labels, missed } = watched(known);
  const selected = test(labels);
  return missed() ? { because: unread } : selected;
}

/** A label selector of Kubernetes. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | null | undefined;
  readonly matchExpressions?: readonly LabelRequirement[] | null | undefined;
}

interface LabelRequirement {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly values?: readonly string[] | null | undefined;
}

const quoted = (value: string): string => (value.includes("'") ? `"${value}"` : `'${value}'`);

function requirementText({ key = '', operator, values }: LabelRequirement): string {
  const set = `{ ${(values ?? []).map(quoted).join(', ')} }`;
  switch (operator) {
    case 'In':
      return `${key} in ${set}`;
    case 'NotIn':
      return `${key} not in ${set}`;
    case 'Exists':
      return `has(${key})`;
    case 'DoesNotExist':
      return `!has(${key})`;
    default:
      // No selector of Calico either: whoever parses it reports the text.
      return `${key} ${operator ?? ''}`;
  }
}

/** The selector of Calico that selects the same; that of an empty label selector, which selects everything, is `all()`. */
export function selectorOf({ matchLabels, matchExpressions }: LabelSelector): string {
  const labels = Object.entries(matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const terms = [
    ...labels.map(([key, value]) => `${key} == ${quoted(value)}`),
    ...(matchExpressions ?? []).map(requirementText),
  ];
  return terms.length === 0 ? 'all()' : terms.join(' && ');
}
