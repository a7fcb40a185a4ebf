// What was found through a template of the user: JSONPath or a Go template.
import { readRegularFile } from '../../files/regular-file.ts';
import { printableLines } from '../../output/printable.ts';
import type { Piece } from '../../template/piece.ts';
import { systemText, UsageError } from '../../world/errors.ts';
import type { TemplateSource } from './output.ts';

/** Applies the template to a document as -o json prints it. Errors: EvaluationError. */
export type TemplateOf = (document: unknown) => readonly Piece[];

/** The text of a template. Errors: UsageError for a file that cannot be read. */
async function templateText(source: TemplateSource): Promise<string> {
  if ('text' in source) return source.text;
  try {
    return (await readRegularFile(source.file)).toString('utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${source.file}: ${systemText(error)}`, undefined, 'FILE_UNREADABLE');
  }
}

/** The template, ready to be applied. Errors: UsageError for a template that cannot be read. */
export async function parseTemplateOf(source: TemplateSource): Promise<TemplateOf> {
  const text = await templateText(source);
  if (source.language === 'jsonpath') return (await import('../../template/jsonpath.ts')).jsonPathTemplate(text);
  const [{ goTemplate }, { goValue }] = await Promise.all([
    import('../../template/go-template.ts'),
    import('../../template/go-values.ts'),
  ]);
  const template = goTemplate('output', text);
  return (document) => template(goValue(document));
}

/** The pieces as text. Values cannot steer a terminal; their line ends stay. */
export function safeText(pieces: readonly Piece[]): string {
  return pieces.map(({ text, isValue }) => (isValue ? printableLines(text) : text)).join('');
}
