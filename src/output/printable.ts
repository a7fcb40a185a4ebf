// Text from a cluster made safe for a terminal.

const steering = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const shortEscapes: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\u001b': '\\e',
};

/** The text with control and direction characters written as escapes, so that no name from a cluster steers a terminal. */
export function printable(text: string): string {
  return text.replace(
    steering,
    (character) => shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
