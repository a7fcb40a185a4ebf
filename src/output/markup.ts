// Texts from a cluster inside XML and HTML.
import { printableLines } from './printable.ts';

/**
 * A text or attribute value that cannot end or begin markup. XML 1.0 cannot hold most control characters and HTML none: they
 * are written as visible escapes, as in tables; what else it cannot hold becomes U+FFFD.
 */
export function escapedMarkup(text: string): string {
  return printableLines(text)
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
