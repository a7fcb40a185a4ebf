// How many columns of a terminal a text takes: wide characters take two, combining characters and colours none.
import stringWidth from 'string-width';

const plain = /^[\u0020-\u007e]*$/;

/** Columns of a terminal, as cli-table3 counts them. */
export const displayWidth = (text: string): number => (plain.test(text) ? text.length : stringWidth(text));
