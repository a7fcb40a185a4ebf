// Columns that the user writes as paths, as kubectl has them: `NAME:.metadata.name,CIDR:.spec.cidr`.
import { column } from '../../resources/cells.ts';
import type { Column } from '../../resources/kind.ts';
import { jsonPath, textOfValue } from '../../template/jsonpath.ts';
import { EvaluationError } from '../../template/template-error.ts';
import { UsageError } from '../../world/errors.ts';

export type PathColumn = Column;

const none = '<none>';

/** At commas outside of brackets. */
function splitColumns(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '[') depth++;
    if (character === ']') depth--;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** The columns of `HEADING:PATH,HEADING:PATH`. Errors: UsageError. */
export function parsePathColumns(text: string): PathColumn[] {
  return splitColumns(text).map((part) => {
    const [, heading = '', path = ''] = /^([^:]*):(.*)$/s.exec(part) ?? [];
    if (heading === '' || path === '') {
      const hint = 'write all columns like NAME:.metadata.name, or all as headings like NAME,CIDR';
      throw new UsageError(`invalid custom column: ${part}`, hint, 'UNKNOWN_FORMAT');
    }
    const select = jsonPath(path);
    return column(heading, (object) => {
      try {
        const found = select(object).filter((value) => value !== null);
        return found.length === 0 ? none : found.map(textOfValue).join(',');
      } catch (error) {
        // A list is too short, or missing: that is not an error of the whole table.
        if (error instanceof EvaluationError) return none;
        throw error;
      }
    });
  });
}
