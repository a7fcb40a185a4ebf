// Comma-separated values.
import { printable } from './printable.ts';

/**
 * RFC 4180: quotes around a field with a comma or a quote; a leading formula sign is defused. Control and direction
 * characters are written as escapes: a row is one line, and no name from a cluster steers a terminal.
 */
export function csvLine(fields: readonly unknown[]): string {
  const cells = fields.map((field) => {
    const text = printable(String(field ?? '')).replace(/^(?=[=+\-@\t])/, "'");
    return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\n`;
}
