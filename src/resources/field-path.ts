// Where a value is in an object: the names of fields and the places in lists that lead to it.

/** From the object down: `['spec', 'ingress', 0, 'action']`. */
export type FieldPath = readonly (string | number)[];

/** The path for people: `spec.ingress[0].action`; `metadata.labels["a/b"]` for a key that is not a plain name. */
export function fieldPathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(String(part))) text += text === '' ? String(part) : `.${String(part)}`;
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text;
}
