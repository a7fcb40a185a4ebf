// Field selectors, of which Calico's kinds have those of every kind: metadata.name and metadata.namespace.
import type { KubeObject } from '../../resources/object.ts';

const fields: Readonly<Record<string, (object: KubeObject) => string>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
};

export type ObjectTest = (object: KubeObject) => boolean;

/** A test for objects, from `metadata.name=a,metadata.namespace!=b`; undefined for another text. */
export function fieldSelector(text: string): ObjectTest | undefined {
  const tests: ObjectTest[] = [];
  for (const part of text.split(',').filter((term) => term.trim() !== '')) {
    const [, field = '', operator, value] = /^\s*([\w.]+)\s*(==|=|!=)\s*(\S*)\s*$/.exec(part) ?? [];
    const fieldOf = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (fieldOf === undefined) return undefined;
    tests.push((object) => (fieldOf(object) === value) === (operator !== '!='));
  }
  return (object) => tests.every((holds) => holds(object));
}
