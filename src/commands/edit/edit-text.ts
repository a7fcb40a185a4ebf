// The text that is edited: comments for the person, then the objects as YAML.
import { printable } from '../../output/printable.ts';
import type { KubeObject, ObjectMeta } from '../../resources/object.ts';
import { printYaml } from '../../text/yaml.ts';

const instructions = [
  'Change the text below and save it. Lines at the top that begin with # are left out.',
  'If nothing is changed, or everything is deleted, the edit is cancelled.',
];

/** Something wrong in the text; the line counts from its first line after the comments. */
export interface EditProblem {
  readonly line?: number;
  readonly text: string;
}

/** The comments at the top: what to do, and what is wrong. */
function heading(problems: readonly EditProblem[]): string {
  const reasons = problems.length === 0 ? [] : ['', 'This text was not accepted:'];
  const lines = instructions.length + reasons.length + problems.length + 1;
  const listed = problems.map(({ line, text }) => {
    return `- ${line === undefined ? '' : `line ${line + lines}: `}${printable(text)}`;
  });
  return [...instructions, ...reasons, ...listed, ''].map((line) => `# ${line}`.trimEnd()).join('\n');
}

/** What the editor shows. */
export function withHeading(body: string, problems: readonly EditProblem[]): string {
  return `${heading(problems)}\n${body}`;
}

/** The text without the comments at its top. */
export function withoutHeading(text: string): string {
  return text.replace(/^\uFEFF?(?:#[^\n]*(?:\n|$))*/, '');
}

/** True for a text that holds nothing but comments and document marks. */
export function isBlank(body: string): boolean {
  return body.split('\n').every((line) => /^(?:---)?\s*(?:#.*)?$/.test(line));
}

/** The objects as they are edited: one bare, several as a List, without what the server keeps about their writers. */
export function bodyOf(objects: readonly KubeObject[]): string {
  const shown = objects.map((object) => {
    const { managedFields: _, ...metadata } = object.metadata;
    return { ...object, metadata: metadata as ObjectMeta };
  });
  const [only] = shown;
  return printYaml(shown.length === 1 ? only : { apiVersion: 'v1', kind: 'List', items: shown });
}
