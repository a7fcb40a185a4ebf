// Texts broken at spaces to the width of a terminal.
import { displayWidth } from './display-width.ts';

/** Breaks a text at spaces so that no line is longer than the width; words are never cut, and colours have no width. */
export function wrap(text: string, width: number, indent: string, furtherIndent = indent): string {
  const lines: string[] = [];
  let line = indent;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = furtherIndent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}

/** Lines below a table, each broken by itself; what follows is indented by four more. */
export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      const [indent = ''] = /^ */.exec(line) ?? [];
      return wrap(line.slice(indent.length), width, indent, `${indent}    `);
    })
    .join('\n');
}
