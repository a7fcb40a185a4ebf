// Redacts secrets in objects of any kind by the names of their fields, for objects that leave a cluster in full.
const redactedText = '<censored>';
const isSecretName = (name: string): boolean =>
  /pass(word|wd|phrase)?$|pwd$|secret$|token$|credential|private.?key|api.?key|(access|secret|encryption|signing).?key$/i.test(
    name,
  );

/** A flag whose value, in the next argument, is secret. */
const isSecretFlag = (word: unknown): boolean => typeof word === 'string' && word.startsWith('-') && isSecretName(word);

/** An environment variable with a secret name. */
function isSecretVariable(object: Readonly<Record<string, unknown>>): boolean {
  const { name, value } = object;
  return typeof name === 'string' && typeof value === 'string' && isSecretName(name);
}

/**
 * A copy in which strings of fields and variables with secret names are `<censored>`, and kubectl's last-applied
 * configuration is left out, since it repeats them. Values of `Secret`s are censored except for the keys in `publicKeys`.
 * All other strings are passed through `cleaned`.
 */
export function redactObjects(
  value: unknown,
  publicKeys: ReadonlySet<string>,
  cleaned: (text: string) => string,
): unknown {
  if (typeof value === 'string') return cleaned(value);
  if (Array.isArray(value)) {
    return value.map((entry, i) =>
      typeof entry === 'string' && isSecretFlag(value[i - 1])
        ? redactedText
        : redactObjects(entry, publicKeys, cleaned),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Readonly<Record<string, unknown>>;
  const isSecret = object['kind'] === 'Secret';
  return Object.fromEntries(
    Object.entries(object)
      .filter(([key]) => key !== 'kubectl.kubernetes.io/last-applied-configuration')
      .map(([key, entry]) => {
        if (isSecret && (key === 'data' || key === 'stringData')) return [key, publicOnly(entry, publicKeys)];
        if (typeof entry === 'string' && (isSecretName(key) || (key === 'value' && isSecretVariable(object)))) {
          return [key, redactedText];
        }
        return [key, redactObjects(entry, publicKeys, cleaned)];
      }),
  );
}

function publicOnly(data: unknown, publicKeys: ReadonlySet<string>): unknown {
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, publicKeys.has(key) ? text : redactedText]),
  );
}
