// Takes secrets out of texts for people. Every text on stderr goes through here.

const rules: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[$1 removed]'],
  [/\b(bearer|basic)(\s+)[\w.~+/=-]{8,}/gi, '$1$2***'],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '***'],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/@]+@/gi, '$1:***@'],
  // A value after the name of a secret; words of a sentence after `token:` have a space before them or are short.
  [
    /(["']?\b(?:[\w-]*token|[\w-]*password|client-key-data|client-secret|[\w-]*secret)["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|[^\s"',;&}]{8,})/gi,
    '$1***',
  ],
];

/** The text with tokens, passwords and private keys replaced. */
export function redacted(text: string): string {
  return rules.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}
