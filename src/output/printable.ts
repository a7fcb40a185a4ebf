// Text from a cluster made safe for a terminal.
import { steering, unicodeEscape } from '../text/steering.ts';

const everySteering = new RegExp(steering, 'g');
const shortEscapes: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\u001b': '\\e',
};

/** The text with control and direction characters written as escapes, so that no name from a cluster steers a terminal. */
export function printable(text: string): string {
  return text.replace(everySteering, (character) => shortEscapes[character] ?? unicodeEscape(character));
}

/** The same for a text of several lines, whose line ends stay. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
