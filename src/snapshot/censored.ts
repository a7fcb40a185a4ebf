// Takes secrets out of any objects by the names of their fields, for what leaves a cluster whole.

const censored = '<censored>';
const isSecretName = (name: string): boolean =>
  /pass(word|wd|phrase)?$|secret$|token$|credential|private.?key|api.?key/i.test(name);

/** A name and a value side by side: an environment variable. */
function isSecretVariable(object: Readonly<Record<string, unknown>>): boolean {
  const { name, value } = object;
  return typeof name === 'string' && typeof value === 'string' && isSecretName(name);
}

/**
 * A copy in which values of secretly named variables and texts under secret names are `<censored>`, and what kubectl last
 * applied is gone, since it repeats all of them. Values of `Secret`s go but for the keys of `publicKeys`.
 */
export function withoutSecrets(value: unknown, publicKeys: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((entry) => withoutSecrets(entry, publicKeys));
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
        return [key, withoutSecrets(entry, publicKeys)];
      }),
  );
}

function publicOnly(data: unknown, publicKeys: ReadonlySet<string>): unknown {
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, publicKeys.has(key) ? text : censored]));
}
