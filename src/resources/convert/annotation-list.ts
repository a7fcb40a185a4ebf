// Annotations that hold a JSON list, as pods and services use them for pools and addresses.

/** The value of a JSON text; undefined when it is missing or not JSON. */
export function jsonIn(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The strings of an annotation that holds a JSON list; none when it is missing or something else. */
export function listInAnnotation(text: string | undefined): string[] {
  const value = jsonIn(text);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
