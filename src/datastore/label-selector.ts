// Kubernetes label selectors (`a=b,c!=d,e in (f,g),h,!i`) for the stores that have no server to evaluate them.
import { exitCodes } from '../world/errors.ts';
import { DatastoreError } from './datastore.ts';

type Requirement = (labels: Readonly<Record<string, string>>) => boolean;

const KEY = '[A-Za-z0-9./_-]+';
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);
const EQUALITY = new RegExp(`^(${KEY})\\s*(==|=|!=)\\s*([A-Za-z0-9._-]*)$`);
const EXISTENCE = new RegExp(`^(!?)\\s*(${KEY})$`);

/** Parses a selector into a test for labels. Errors: invalid, for any other text. */
export function labelSelector(text: string): (labels: Readonly<Record<string, string>> | undefined) => boolean {
  const requirements = splitOutsideParentheses(text).map((part) => requirement(part, text));
  return (labels) => requirements.every((holds) => holds(labels ?? {}));
}

function requirement(part: string, whole: string): Requirement {
  const set = SET.exec(part);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return (labels) =>
      values.includes(labels[key] ?? '') === (operator === 'in') && (key in labels || operator !== 'in');
  }
  const equality = EQUALITY.exec(part);
  if (equality) {
    const [, key = '', operator, value] = equality;
    return (labels) => (Object.hasOwn(labels, key) && labels[key] === value) === (operator !== '!=');
  }
  const existence = EXISTENCE.exec(part);
  if (existence) {
    const [, not, key = ''] = existence;
    return (labels) => Object.hasOwn(labels, key) === (not === '');
  }
  throw new DatastoreError('invalid', `invalid label selector "${whole}": cannot parse "${part}"`, {
    hint: 'Use a=b, a!=b, a, !a or "a in (b, c)", separated by commas.',
    exit: exitCodes.usage,
  });
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (char === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else {
      part += char;
    }
  }
  parts.push(part.trim());
  return parts.length === 1 && parts[0] === '' ? [] : parts;
}
