// A label on the command line: KEY=VALUE sets it, KEY- and (with --remove) KEY remove it.

/** A key with the value to set, or to be removed; `bare` is a key that only --remove gives a meaning. */
export interface LabelWord {
  readonly key: string;
  readonly value: string | undefined;
  readonly bare?: true;
}

/** Undefined for a word without a key, and for a key or a value that is not one of a Kubernetes label. */
export function parseLabel(text: string): LabelWord | undefined {
  const [head = '', ...rest] = text.split('=');
  const [value] = rest;
  const removes = value === undefined && head.endsWith('-');
  const key = removes ? head.slice(0, -1) : head;
  if (!isKey(key) || rest.length > 1) return undefined;
  if (value === undefined) return removes ? { key, value } : { key, value, bare: true };
  return isValue(value) ? { key, value } : undefined;
}

/** A name of at most 63 characters, with or without a DNS name and a slash before it. */
function isKey(key: string): boolean {
  return /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(key);
}

function isValue(value: string): boolean {
  return /^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/.test(value);
}
