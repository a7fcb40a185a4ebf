// The characters that a terminal obeys, or that change the order in which a text is shown.

/**
 * C0 controls but tab, DEL, C1 controls, line and paragraph separators, direction marks, embeddings, overrides and isolates,
 * the byte order mark. Without the line end in the second.
 */
export const steering = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
const steeringInLines = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

/** A character as `\u009b`, which JSON reads as the same character. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const everySteeringInLines = new RegExp(steeringInLines, 'g');

/** The text with the characters that steer a terminal as `\u009b`; tabs and line ends stay. JSON stays the same value. */
export function withoutSteering(text: string): string {
  return steeringInLines.test(text) ? text.replace(everySteeringInLines, unicodeEscape) : text;
}

/** A sequence that changes colour or weight, as calictl writes it: nothing that hides a text or moves it. */
const colourSequence = /\u001b\[(?:[0-2]|22|3[0-79]|9[0-7])m/;
const everySteeringBesidesColours = new RegExp(`(${colourSequence.source})|${steeringInLines.source}`, 'g');

/** The same for a text with calictl's colours, which stay too. */
export function withoutSteeringBesidesColours(text: string): string {
  if (!steeringInLines.test(text)) return text;
  return text.replace(everySteeringBesidesColours, (found, colour?: string) => colour ?? unicodeEscape(found));
}
