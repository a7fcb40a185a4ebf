// Rules for the metadata of all kinds: names, and the keys and values of labels and annotations.
import type { KubeObject } from '../object.ts';
import { problem, type RuleProblem } from './rule-problem.ts';
import { objectName } from './tags.ts';

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export const longestName = 253;
const longestAnnotations = 256 * 1024;

const nameRule =
  "name must consist of lower case alphanumeric characters, '-' or '.' (regex: [a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)";

const label = '[A-Za-z0-9][-A-Za-z0-9_.]*';
const alphanumeric =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const subdomain =
  "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const isQualified = (text: string): boolean => new RegExp(`^(${label})?[A-Za-z0-9]$`).test(text);

/** What Kubernetes says is wrong with the key of a label or an annotation. */
function keyReasons(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name ${alphanumeric} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const reasons: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') reasons.push('prefix part must be non-empty');
    else if (bytesOf(prefix) > longestName) reasons.push(`prefix part must be no more than ${longestName} characters`);
    if (prefix !== '' && !objectName.test(prefix)) reasons.push(subdomain);
  }
  if (name === '') reasons.push('name part must be non-empty');
  else if (bytesOf(name) > 63) reasons.push('name part must be no more than 63 characters');
  if (!isQualified(name)) reasons.push(`name part ${alphanumeric}`);
  return reasons;
}

function valueReasons(value: string): string[] {
  return [
    ...(bytesOf(value) > 63 ? ['must be no more than 63 characters'] : []),
    ...(value === '' || isQualified(value) ? [] : [labelValue]),
  ];
}

/** True for keys and values that labels may have. */
export function areLabels(labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([key, value]) => keyReasons(key).length + valueReasons(value).length === 0);
}

const keyWords =
  "must have a valid key: at most 63 letters, digits, '-', '_' and '.', after an optional prefix like example.com/";
const valueWords = "must have at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends";

const sorted = (map: Readonly<Record<string, string>> | null | undefined): [string, string][] =>
  Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

/** What is wrong with the metadata of an object, in calicoctl's order. */
export function metadataProblems(object: KubeObject): RuleProblem[] {
  const { name } = object.metadata;
  const problems: RuleProblem[] = [];
  const field = 'Metadata.Name';
  if (!name) problems.push(problem(['metadata', 'name'], 'is missing', { field, value: '', reason: nameRule }));
  else {
    problems.push(...tooLong(name, longestName));
    if (!objectName.test(name)) {
      const words = "must consist of lower-case letters, digits, '-' and '.'";
      problems.push(problem(['metadata', 'name'], words, { field, value: name, reason: nameRule }));
    }
  }
  return [...problems, ...annotationProblems(object), ...labelProblems(object)];
}

/** The name has more bytes than the kind allows. */
export function tooLong(name: string, longest: number): RuleProblem[] {
  const over = bytesOf(name) - longest;
  if (over <= 0) return [];
  const words = `is too long by ${over} bytes`;
  return [problem(['metadata', 'name'], words, { field: 'Metadata.Name', value: name, reason: `name ${words}` })];
}

/** What is wrong with the labels of an object. */
export function labelProblems({ metadata: { labels } }: KubeObject): RuleProblem[] {
  const problems: RuleProblem[] = [];
  for (const [key, value] of sorted(labels)) {
    const path = ['metadata', 'labels', key];
    for (const reason of keyReasons(key)) {
      problems.push(problem(path, keyWords, { field: 'Metadata.Labels (label)', value: key, reason }));
    }
    for (const reason of valueReasons(value)) {
      problems.push(problem(path, valueWords, { field: 'Metadata.Labels (value)', value, reason }));
    }
  }
  return problems;
}

/** What is wrong with the annotations of an object. */
export function annotationProblems({ metadata: { annotations } }: KubeObject): RuleProblem[] {
  const problems: RuleProblem[] = [];
  let size = 0;
  for (const [key, value] of sorted(annotations)) {
    size += bytesOf(key) + bytesOf(value);
    // Kubernetes compares the keys of annotations in lower case.
    for (const reason of keyReasons(key.toLowerCase())) {
      const path = ['metadata', 'annotations', key];
      problems.push(problem(path, keyWords, { field: 'Metadata.Annotations (key)', value: key, reason }));
    }
  }
  if (size > longestAnnotations) {
    const over = size - longestAnnotations;
    problems.push(
      problem(['metadata', 'annotations'], `are too large by ${over} bytes`, {
        field: 'Metadata.Annotations (key)',
        value: '',
        reason: `total size of annotations is too large by ${over} bytes`,
      }),
    );
  }
  return problems;
}
