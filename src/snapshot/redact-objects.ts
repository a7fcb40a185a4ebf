// Takes secrets out of any objects by the names of their fields, for what leaves a cluster whole.

const censored = '<censored>';
const isSecretName = (name: string): boolean =>
  /pass(word|wd|phrase)?$|pwd$|secret$|token$|credential|private.?key|api.?key|(access|secret|encryption|signing).?key$/i.test(
    name,
  );

/** An argument whose value is the next one. */
const isSecretFlag = (word: unknown): boolean => typeof word === 'string' && word.startsWith('-') && isSecretName(word);

/** A name and a value side by side: an environment variable. */
function isSecretVariable(object: Readonly<Record<string, unknown>>): boolean {
  const { name, value } = object;
  return typeof name === 'string' && typeof value === 'string' && isSecretName(name);
}

/**
 * A copy in which values of secretly named variables and texts under secret names are `<censored>`, and what kubectl last
 * applied is gone, since it repeats all of them. Values of `Secret`s go but for the keys of `publicKeys`. All other texts
 * are as `cleaned` leaves them.
 */
export function withoutSecrets(
  value: unknown,
  publicKeys: ReadonlySet<string>,
  cleaned: (text: string) => string,
): unknown {
  if (typeof value === 'string') return cleaned(value);
  if (Array.isArray(value)) {
    return value.map((entry, i) =>
      typeof entry === 'string' && isSecretFlag(value[i - 1]) ? censored : withoutSecrets(entry, publicKeys, cleaned),
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
          return [key, censored];
        }
        return [key, withoutSecrets(entry, publicKeys, cleaned)];
      }),
  );
}

function publicOnly(data: unknown, publicKeys: ReadonlySet<string>): unknown {
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, publicKeys.has(key) ? text : censored]));
}
