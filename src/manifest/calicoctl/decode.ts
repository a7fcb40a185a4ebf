// JSON values to objects as calicoctl's strict decoder makes them: the first error in the order of sorted keys, then the
// names of unknown fields. docs/reference/validation.md#calicoctl.
import type { FieldTable, FieldType, ScalarType } from '../../resources/field.ts';
import { goDurationError, normalGoDuration } from '../../text/go-duration.ts';
import { type GoValue, goJson, isGoNumber, jsonType } from './go-yaml.ts';

/** What is wrong in a document: what calicoctl prints after `error parsing document: `. */
export class GoDecodeError extends Error {}

/** What was last entered: Go's decoder names it in its errors, and forgets it after the first member. */
interface Place {
  readonly struct: string;
  readonly field: string;
}

const integerRanges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int: [-(2n ** 63n), 2n ** 63n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint8: [0n, 255n],
  uint16: [0n, 65535n],
  uint32: [0n, 4294967295n],
};

class GoDecoder {
  readonly unknown: string[] = [];
  error: string | undefined;
  #place: Place | undefined;

  value(value: GoValue, type: FieldType): unknown {
    if (value === null) return undefined;
    switch (type.form) {
      case 'scalar':
        return this.#scalar(value, type);
      case 'list':
        if (!Array.isArray(value)) return this.#mismatch(value, goType(type));
        return value.map((item: GoValue) => {
          const decoded = this.value(item, type.items);
          return decoded === undefined ? emptyOf(type.items) : decoded;
        });
      case 'map':
        if (!(value instanceof Map)) return this.#mismatch(value, goType(type));
        return this.#map(value, type.values);
      case 'object':
        if (!(value instanceof Map)) return this.#mismatch(value, goType(type));
        return this.struct(value, type.fields(), type.struct ?? '');
    }
  }

  struct(members: ReadonlyMap<string, GoValue>, table: FieldTable, struct: string): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    const names = Object.keys(table).filter((name) => table[name]?.since === undefined);
    const exact = new Set([...members.keys()].filter((key) => names.includes(key)));
    const taken = new Set<string>();
    for (const [key, value] of members) {
      const name = exact.has(key) ? key : names.find((one) => one.toLowerCase() === key.toLowerCase());
      const isFirst = name !== undefined && !taken.has(name) && (exact.has(key) || !exact.has(name));
      if (!isFirst) {
        this.unknown.push(key);
        continue;
      }
      taken.add(name);
      this.#place = { struct, field: name };
      const decoded = this.value(value, (table[name] as FieldTable[string]).type);
      this.#place = undefined;
      if (decoded !== undefined) made[name] = decoded;
    }
    return made;
  }

  #map(members: ReadonlyMap<string, GoValue>, values: FieldType): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const [key, value] of members) {
      const decoded = this.value(value, values);
      this.#place = undefined;
      Object.defineProperty(made, key, {
        value: decoded ?? emptyOf(values),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return made;
  }

  fail(message: string): undefined {
    this.error ??= message;
    return undefined;
  }

  #mismatch(value: GoValue, type: string): undefined {
    const text = typeof value === 'string' ? value : goJson(value);
    const where = this.#place === undefined ? 'value' : `field ${this.#place.struct}.${this.#place.field}`;
    return this.fail(`cannot parse ${jsonType(value)} '${text}' into ${where} of type ${type}`);
  }

  #notText(value: GoValue): undefined {
    return this.fail(`json: cannot unmarshal ${jsonType(value)} into Go value of type string`);
  }

  #scalar(value: NonNullable<GoValue>, type: ScalarType): unknown {
    if (type.read !== undefined) return this.#read(value, type.read);
    switch (type.format?.split(':')[0]) {
      case 'duration':
        return this.#duration(value);
      case 'AS number':
        return this.#asNumber(value);
      case 'protocol':
        return this.#protocol(value);
      case 'port':
        return this.#port(value);
      case 'RFC 3339 time':
        return this.#time(value);
      default:
        if (type.json !== 'anything') return this.#plain(value, type);
        return type.go === undefined ? plainOf(value) : this.#plain(value, { ...type, json: 'int64' });
    }
  }

  #plain(value: NonNullable<GoValue>, type: ScalarType): unknown {
    switch (type.json) {
      case 'string':
        if (typeof value === 'string') return value;
        if (typeof value === 'boolean') return String(value);
        return isGoNumber(value) ? value.text : this.#mismatch(value, goType(type));
      case 'boolean':
        return typeof value === 'boolean' ? value : this.#mismatch(value, 'bool');
      case 'number':
        return isGoNumber(value) ? Number(value.json) : this.#mismatch(value, 'float64');
      case 'integer':
      case 'int64': {
        const go = goType(type);
        const [min, max] = integerRanges[go] ?? [0n, 0n];
        const whole = isGoNumber(value) && /^-?\d+$/.test(value.json) ? BigInt(value.json) : undefined;
        if (whole === undefined || whole < min || whole > max) return this.#mismatch(value, go);
        return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
      }
      default:
        return plainOf(value);
    }
  }

  #read(value: NonNullable<GoValue>, read: NonNullable<ScalarType['read']>): unknown {
    if (typeof value !== 'string') return this.#notText(value);
    const { value: kept, error } = read(value);
    return error === undefined ? kept : this.fail(error);
  }

  #duration(value: NonNullable<GoValue>): unknown {
    if (typeof value !== 'string') return this.#notText(value);
    const wrong = goDurationError(value);
    return wrong === undefined ? normalGoDuration(value) : this.fail(wrong);
  }

  #time(value: NonNullable<GoValue>): unknown {
    if (typeof value !== 'string') return this.#notText(value);
    if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value)) return value;
    const quoted = JSON.stringify(value);
    return this.fail(`parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`);
  }

  /** Unquoted it must be a whole number of 32 bits: Go tries that first, and then a string. */
  #asNumber(value: NonNullable<GoValue>): unknown {
    if (isGoNumber(value)) {
      const number = /^\d+$/.test(value.json) ? BigInt(value.json) : -1n;
      return number >= 0n && number <= 4294967295n ? Number(number) : this.#notText(value);
    }
    if (typeof value !== 'string') return this.#notText(value);
    const [, high, low] = /^(\d+)\.(\d+)$/.exec(value) ?? [];
    if (high !== undefined && low !== undefined) {
      if (Number(high) <= 65535 && Number(low) <= 65535) return Number(high) * 65536 + Number(low);
    } else if (/^\d+$/.test(value) && BigInt(value) <= 4294967295n) return Number(value);
    return this.fail(`invalid AS Number format (${value})`);
  }

  #small(value: NonNullable<GoValue>, type: 'uint8' | 'uint16'): number | undefined {
    const max = type === 'uint8' ? 255 : 65535;
    if (isGoNumber(value)) {
      const number = /^\d+$/.test(value.json) ? Number(value.json) : -1;
      if (number >= 0 && number <= max) return number;
      return this.fail(`json: cannot unmarshal number ${value.json} into Go value of type ${type}`);
    }
    return this.fail(`json: cannot unmarshal ${jsonType(value)} into Go value of type ${type}`);
  }

  #protocol(value: NonNullable<GoValue>): unknown {
    if (typeof value !== 'string') return this.#small(value, 'uint8');
    return /^\d{1,3}$/.test(value) && Number(value) <= 255 ? Number(value) : value;
  }

  #port(value: NonNullable<GoValue>): unknown {
    if (typeof value !== 'string') return this.#small(value, 'uint16');
    if (/^\d+$/.test(value)) {
      return Number(value) <= 65535 ? Number(value) : this.fail(`invalid port format (${value})`);
    }
    const [, low, high] = /^(\d+):(\d+)$/.exec(value) ?? [];
    if (low !== undefined && high !== undefined) {
      if (Number(low) > 65535) return this.fail(`invalid minimum port number in range (${value})`);
      if (Number(high) > 65535) return this.fail(`invalid maximum port number in range (${value})`);
      if (Number(low) > Number(high)) {
        return this.fail(
          `minimum port number (${Number(low)}) is greater than maximum port number (${Number(high)}) in port range`,
        );
      }
      return low === high ? Number(low) : `${Number(low)}:${Number(high)}`;
    }
    return /^[a-zA-Z0-9_.-]{1,128}$/.test(value) ? value : this.fail(`invalid name for named port (${value})`);
  }
}

function emptyOf(type: FieldType): unknown {
  if (type.form === 'object' || type.form === 'map') return {};
  if (type.form === 'list') return [];
  if (type.format?.startsWith('port:')) return 0;
  return type.json === 'string' ? '' : type.json === 'boolean' ? false : 0;
}

/** The name of the type in Go. */
function goType(type: FieldType): string {
  switch (type.form) {
    case 'list':
      return `[]${goType(type.items)}`;
    case 'map':
      return `map[string]${goType(type.values)}`;
    case 'object':
      return type.go ?? `v3.${type.struct ?? ''}`;
    case 'scalar':
      if (type.go !== undefined) return type.go;
      if (type.json === 'boolean') return 'bool';
      if (type.json === 'integer') return 'int';
      return type.json === 'int64' ? 'int64' : type.json === 'number' ? 'float64' : 'string';
  }
}

function plainOf(value: GoValue): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isGoNumber(value)) {
    const number = Number(value.json);
    return /^-?\d+$/.test(value.json) && !Number.isSafeInteger(number) ? BigInt(value.json) : number;
  }
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, member]) => [key, plainOf(member as GoValue)]));
  return (value as readonly GoValue[]).map(plainOf);
}

function unknownFields(names: readonly string[]): string {
  if (names.length === 1) return `field in document is not recognized or is in the wrong location: ${names[0]}`;
  const shown = names.length > 5 ? `${names.slice(0, 4).join(', ')} (+ ${names.length - 4} more)` : names.join(', ');
  return `fields in document are not recognized or are in the wrong location: ${shown}`;
}

/** The object with the fields of a table. Errors: GoDecodeError. */
export function decodeGo(
  members: ReadonlyMap<string, GoValue>,
  table: FieldTable,
  struct: string,
): Record<string, unknown> {
  const decoder = new GoDecoder();
  const made = decoder.struct(members, table, struct);
  if (decoder.error !== undefined) throw new GoDecodeError(decoder.error);
  if (decoder.unknown.length > 0) throw new GoDecodeError(unknownFields(decoder.unknown));
  return made;
}
