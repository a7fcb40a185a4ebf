// ssh's patterns for hosts, users and files, ssh_config(5) PATTERNS.

/** `*` matches any text, `?` one character, everything else itself. */
export function matchesPattern(text: string, pattern: string): boolean {
  // Files with a block per host have thousands of these.
  if (!/[*?]/.test(pattern)) return text === pattern;
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}

/** A list of patterns, in which a matching `!pattern` excludes. */
export function matchesPatterns(text: string, patterns: readonly string[]): boolean {
  if (patterns.some((pattern) => pattern.startsWith('!') && matchesPattern(text, pattern.slice(1)))) return false;
  return patterns.some((pattern) => !pattern.startsWith('!') && matchesPattern(text, pattern));
}
