// What -o of `get` takes: a format, and what comes after its `=`.
import { UsageError } from '../../world/errors.ts';
import type { PathColumn } from './path-columns.ts';

const words = ['ps', 'wide', 'yaml', 'json', 'name', 'custom-columns'] as const;

/** The languages of templates, and the words of -o for them. */
const templates = {
  jsonpath: { language: 'jsonpath', isFile: false },
  'jsonpath-file': { language: 'jsonpath', isFile: true },
  'go-template': { language: 'go-template', isFile: false },
  'go-template-file': { language: 'go-template', isFile: true },
} as const;

export type TemplateLanguage = 'jsonpath' | 'go-template';

/** A template, or the path of the file that holds it. */
export type TemplateSource = { readonly language: TemplateLanguage } & (
  | { readonly text: string }
  | { readonly file: string }
);

export interface Output {
  readonly format: (typeof words)[number] | 'template';
  /** calicoctl's custom columns, `NAME,CIDR`; none for another format. */
  readonly headings: readonly string[];
  /** kubectl's custom columns, `NAME:.metadata.name`; none for another format. */
  readonly columns: readonly PathColumn[];
  readonly template?: TemplateSource;
}

const codeOfErrors = 'UNKNOWN_FORMAT';

function customColumns(value: string): Output {
  if (value === '') {
    const hint = 'write it like custom-columns=NAME,CIDR or custom-columns=NAME:.metadata.name';
    throw new UsageError('need to specify at least one column', hint, codeOfErrors);
  }
  const format = 'custom-columns';
  return { format, headings: value.split(','), columns: [] };
}

/** As `parseOutput`, with columns that are paths. Errors: UsageError. */
export async function parseOutputWithPaths(text: string): Promise<Output | undefined> {
  const [, columns] = /^custom-columns=(.*:.*)$/s.exec(text) ?? [];
  if (columns === undefined) return parseOutput(text);
  const { parsePathColumns } = await import('./path-columns.ts');
  return { format: 'custom-columns', headings: [], columns: parsePathColumns(columns) };
}

/**
 * The format that a text names; undefined for an unknown one.
 * Errors: UsageError for custom columns without a column, and for a missing template.
 */
export function parseOutput(text: string): Output | undefined {
  const [word = '', ...rest] = text.split('=');
  const value = rest.join('=');
  if (word === 'custom-columns') return customColumns(value);
  if (Object.hasOwn(templates, word)) {
    const { language, isFile } = templates[word as keyof typeof templates];
    if (value === '') {
      const hint =
        language === 'jsonpath' ? `write it like ${word}=${isFile ? 'FILE' : '{.items[*].metadata.name}'}` : undefined;
      throw new UsageError(`need to specify a template${isFile ? ' file' : ''}`, hint, codeOfErrors);
    }
    const template: TemplateSource = isFile ? { language, file: value } : { language, text: value };
    return { format: 'template', headings: [], columns: [], template };
  }
  const format = words.find((known) => known === (text === 'yml' ? 'yaml' : text));
  return format && { format, headings: [], columns: [] };
}
