// What `explain` prints: headed paragraphs as kubectl explain has them, and the same as JSON.
import { jsonDocument } from '../../output/json-document.ts';
import type { TextView } from '../../output/style.ts';
import { textTable } from '../../output/table.ts';
import { wrap } from '../../output/wrap.ts';
import type { FieldExplanation, KindExplanation } from '../../resources/explain.ts';
import type { Range } from '../../resources/field.ts';

export interface FindingExplanation {
  readonly id: string;
  readonly title: string;
  /** The usual one first. */
  readonly severities: readonly string[];
  readonly meaning: string;
  readonly whatToDo: string;
}

/** All findings of a catalogue, or all kinds. */
export type TopicList =
  | { readonly findings: readonly FindingExplanation[] }
  | { readonly kinds: readonly { readonly aliases: readonly string[]; readonly about: string }[] };

export type Explanation =
  | { readonly type: 'list'; readonly list: TopicList }
  | { readonly type: 'finding'; readonly finding: FindingExplanation }
  | { readonly type: 'resource'; readonly resource: KindExplanation }
  | { readonly type: 'field'; readonly resource: string; readonly field: FieldExplanation };

/** Longer lines are hard to read, however wide the terminal is. */
const widest = 100;

const label = (name: string, value: string): string => `${`${name}:`.padEnd(11)}${value}`;

function section(heading: string, text: string, columns: number): string[] {
  return ['', `${heading}:`, wrap(text, columns, '    ')];
}

function findingLines({ id, title, severities, meaning, whatToDo }: FindingExplanation, columns: number): string[] {
  return [
    label('FINDING', id),
    label('TITLE', title),
    label('SEVERITY', severities.join(' or ')),
    ...section('MEANING', meaning, columns),
    ...section('WHAT TO DO', whatToDo, columns),
  ];
}

function rangeText({ min, max }: Range): string {
  if (min === undefined) return `at most ${max}`;
  return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}

/** `integer, 20 to 32, default 26`. */
function typeText({ type, format, values, range, required, default: standard }: FieldExplanation): string {
  return [
    format === undefined ? type : `${type} (${format})`,
    ...(values === undefined ? [] : [values.join(' | ')]),
    ...(range === undefined ? [] : [rangeText(range)]),
    ...(required ? ['required'] : []),
    ...(standard === undefined ? [] : [`default: ${standard}`]),
  ].join(', ');
}

/** The fields with their sentences, those inside of others below them. */
function fieldLines(fields: readonly FieldExplanation[], columns: number, depth = 1): string[] {
  const indent = '  '.repeat(depth);
  return fields.flatMap((field) => [
    wrap(`${field.name}  <${typeText(field)}>`, columns, indent, `${indent}    `),
    wrap(field.about, columns, `${indent}    `),
    ...fieldLines(field.fields, columns, depth + 2),
  ]);
}

/** All fields of the kind; those of metadata are the same for every kind and are shown when asked for. */
function kindLines(kind: KindExplanation, columns: number): string[] {
  const fields = kind.fields.map((field) => (field.path === 'metadata' ? { ...field, fields: [] } : field));
  return [
    label('KIND', kind.kind),
    label('VERSION', kind.apiVersion),
    label('NAMES', kind.aliases.join(', ')),
    label('SCOPE', kind.namespaced ? 'namespace' : 'cluster'),
    ...section('DESCRIPTION', kind.about, columns),
    '',
    'FIELDS:',
    ...fieldLines(fields, columns),
  ];
}

function oneFieldLines(resource: string, field: FieldExplanation, columns: number): string[] {
  return [
    label('KIND', resource),
    label('FIELD', field.path),
    label('TYPE', typeText(field)),
    ...section('DESCRIPTION', field.about, columns),
    ...(field.fields.length === 0 ? [] : ['', 'FIELDS:', ...fieldLines(field.fields, columns)]),
  ];
}

/** One row per topic: what to pass to `explain`, and what it is. */
function listText(list: TopicList, columns: number): string {
  if ('kinds' in list) {
    const rows = list.kinds.map(({ aliases: [name = ''], about }) => [name, about]);
    return textTable(['KIND', 'DESCRIPTION'], rows, columns);
  }
  const rows = list.findings.map(({ id, severities, title }) => [id, severities.join(' or '), title]);
  return textTable(['ID', 'SEVERITY', 'TITLE'], rows, columns);
}

function listValue(list: TopicList): object {
  if ('kinds' in list) return { kinds: list.kinds.map(({ aliases: [name = ''], about }) => ({ name, about })) };
  return { findings: list.findings.map(({ id, severities, title }) => ({ id, severities, title })) };
}

/** The explanation for people, wrapped at words. */
export function explanationText(explanation: Explanation, view: TextView): string {
  if (explanation.type === 'list') return listText(explanation.list, view.columns);
  const columns = Math.min(view.columns, widest);
  const lines = (): string[] => {
    switch (explanation.type) {
      case 'finding':
        return findingLines(explanation.finding, columns);
      case 'resource':
        return kindLines(explanation.resource, columns);
      case 'field':
        return oneFieldLines(explanation.resource, explanation.field, columns);
    }
  };
  return lines()
    .map((line) => `${line}\n`)
    .join('');
}

/** The explanation as one JSON document. */
export function explanationJson(explanation: Explanation): string {
  const { type, ...explained } = explanation;
  const value = explanation.type === 'list' ? listValue(explanation.list) : explained;
  return jsonDocument({ apiVersion: 'calictl/v1', kind: 'Explanation', type, ...value });
}
