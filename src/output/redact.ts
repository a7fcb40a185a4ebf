// Takes secrets out of texts for people. Every text on stderr goes through here. What is repeated before a name has a
// bound, so that no text, however it is made, takes longer than its length.

const rules: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[$1 removed]'],
  [/\b(bearer|basic)(\s+)[\w.~+/=-]{8,}/gi, '$1$2***'],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, '***'],
  [/\b([a-z][a-z0-9+.-]{0,32}:\/\/[^\s/:@]*):[^\s/@]+@/gi, '$1:***@'],
  // A value after the name of a secret; words of a sentence after `token:` have a space before them or are short.
  [
    /(["']?\b(?:[\w-]{0,64}(?:token|password|passwd|passphrase|secret)|client-key-data|[\w-]{0,64}(?:private|api|access|secret|encryption|signing)[-_]?key)["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|[^\s"',;&}]{8,})/gi,
    '$1***',
  ],
  // However short: no sentence has such names. `<set to the key …>` is what kubectl says in place of a secret.
  [/\b([\w-]{0,64}(?:token|password|passwd|passphrase|secret)=)[^\s"'<,;&}]+/gi, '$1***'],
  [
    /\b([A-Z0-9_]{0,64}(?:TOKEN|PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD|SECRET|(?:PRIVATE|API|ACCESS|SECRET|ENCRYPTION|SIGNING)_?KEY)[ \t]*[:=][ \t]*)[^\s"'<,;&}]+/g,
    '$1***',
  ],
  // Arguments, one per line.
  [/^([ \t]+--?[\w-]{0,64}(?:token|password|passwd|passphrase|secret)\n[ \t]+)(?!-)\S+/gim, '$1***'],
];

/** The text with tokens, passwords and private keys replaced. */
export function redacted(text: string): string {
  return rules.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}
