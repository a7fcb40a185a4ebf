// What -o of `get` takes: a format, and the headings of custom columns.
import { UsageError } from '../../world/errors.ts';

const words = ['ps', 'wide', 'yaml', 'json', 'name', 'custom-columns'] as const;

export interface Output {
  readonly format: (typeof words)[number];
  /** The headings of custom columns; none for another format. */
  readonly headings: readonly string[];
}

/**
 * The format that a text names; undefined for an unknown one.
 * Errors: UsageError for custom columns without a heading and for templates.
 */
export function parseOutput(text: string): Output | undefined {
  const [word = '', ...rest] = text.split('=');
  const value = rest.join('=');
  if (word === 'custom-columns') {
    if (value !== '') return { format: word, headings: value.split(',') };
    const hint = 'write it like custom-columns=NAME,CIDR';
    throw new UsageError('need to specify at least one column', hint, 'UNKNOWN_FORMAT');
  }
  if (word === 'go-template' || word === 'go-template-file') {
    const lacking = word === 'go-template' ? 'a template' : 'a template file';
    if (value === '') throw new UsageError(`need to specify ${lacking}`, undefined, 'UNKNOWN_FORMAT');
    throw new UsageError(
      `${word} is not in this version of calictl`,
      'use -o json and a program like jq',
      'UNSUPPORTED_FORMAT',
    );
  }
  const format = words.find((known) => known === (text === 'yml' ? 'yaml' : text));
  return format && { format, headings: [] };
}
