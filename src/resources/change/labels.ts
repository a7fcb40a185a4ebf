// Changes of labels, as `label` makes them. None changes its argument.
import type { KubeObject } from '../object.ts';

/** Labels to set, by key, and keys to remove. */
export interface LabelChange {
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** The keys that the object has with a value other than the one to set. */
export function overwritten({ metadata: { labels } }: KubeObject, { set }: LabelChange): string[] {
  return Object.keys(set).filter((key) => labels?.[key] !== undefined && labels[key] !== set[key]);
}

/** The object with the labels set and removed. */
export function labelled(object: KubeObject, { set, remove }: LabelChange): KubeObject {
  const all = { ...object.metadata.labels, ...set };
  const labels = Object.fromEntries(Object.entries(all).filter(([key]) => !remove.includes(key)));
  return { ...object, metadata: { ...object.metadata, labels } };
}
