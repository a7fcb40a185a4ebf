// Texts from a cluster inside XML and HTML.

/** A text or attribute value that cannot end or begin markup; what XML 1.0 cannot hold at all becomes U+FFFD. */
export function escapedMarkup(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
