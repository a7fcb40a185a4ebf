// JSON values to objects as calicoctl's strict decoders make them. That of 3.31 reports the first error in the order of
// sorted keys, and only without one the names of unknown fields. That of 3.32 is Go's own: the first problem of either sort.
// docs/reference/validation.md#calicoctl.
import type { FieldTable, FieldType, ScalarType } from '../../resources/field.ts';
import { goDurationError, normalGoDuration } from '../../text/go-duration.ts';
import { goPortError } from '../../text/go-port.ts';
import { embeddedIn, type GoPlace, goListAt, goTypeAt, isEmbedded } from './go-types.ts';
import { type GoValue, goJson, isGoNumber, jsonType } from './go-yaml.ts';

/** The releases of calicoctl, which differ in what they know and in what they say. */
export type CalicoctlRelease = '3.31' | '3.32';

/** What is wrong in a document: what calicoctl prints after `error parsing document: `, or all that it prints. */
export class GoDecodeError extends Error {
  readonly isWhole: boolean;

  constructor(message: string, isWhole = false) {
    super(message);
    this.isWhole = isWhole;
  }
}

export interface DecodeOptions {
  readonly release: CalicoctlRelease;
  /** Unquoted numbers and booleans are texts where a text belongs. */
  readonly coerces: boolean;
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
  readonly #options: DecodeOptions;
  readonly unknown: string[] = [];
  error: GoDecodeError | undefined;
  /** What was last entered. The decoder of 3.31 names it in its errors, also in those of what comes after it in a list. */
  #place: GoPlace | undefined;
  /** From the document down to that field. */
  #path: readonly string[] = [];

  constructor(options: DecodeOptions) {
    this.#options = options;
  }

  /** `own` is the field that the value is of, or that its list is of: it tells the type. */
  value(value: GoValue, type: FieldType, own: GoPlace | undefined): unknown {
    if (value === null) return undefined;
    switch (type.form) {
      case 'scalar':
        return this.#scalar(value, type, own);
      case 'list':
        if (!Array.isArray(value)) return this.#mismatch(value, type, own);
        return value.map((item: GoValue) => {
          const decoded = this.value(item, type.items, own);
          return decoded === undefined ? emptyOf(type.items) : decoded;
        });
      case 'map':
        if (!(value instanceof Map)) return this.#mismatch(value, type, own);
        return this.#map(value, type.values);
      case 'object':
        if (!(value instanceof Map)) return this.#mismatch(value, type, own);
        return this.struct(value, type.fields(), type.struct ?? goTypeAt(own)?.split('.').at(-1) ?? '');
    }
  }

  struct(members: ReadonlyMap<string, GoValue>, table: FieldTable, struct: string): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    const { release } = this.#options;
    const [outer, path] = [this.#place, this.#path];
    const names = Object.keys(table).filter((name) => {
      const { since, until } = table[name] as FieldTable[string];
      return release === '3.31' ? since === undefined : until === undefined;
    });
    const exact = new Set([...members.keys()].filter((key) => names.includes(key)));
    const taken = new Set<string>();
    for (const [key, value] of members) {
      const name = exact.has(key) ? key : names.find((one) => one.toLowerCase() === key.toLowerCase());
      const isFirst = name !== undefined && !taken.has(name) && (exact.has(key) || !exact.has(name));
      if (name === undefined || (release === '3.31' && !isFirst)) this.#addUnknown(key);
      if (name === undefined) continue;
      // Another spelling of the same field is decoded too, and its error counts.
      this.#place = { struct, field: name };
      this.#path = [...path, ...embeddedIn(struct, name), name];
      const decoded = this.value(value, (table[name] as FieldTable[string]).type, this.#place);
      if (release === '3.32') this.#place = outer;
      this.#path = path;
      if (release === '3.31' && !isFirst) continue;
      taken.add(name);
      if (decoded !== undefined) made[name] = decoded;
    }
    return made;
  }

  #addUnknown(name: string): void {
    this.unknown.push(name);
    if (this.#options.release === '3.31') return;
    this.error ??= new GoDecodeError(`field in document is not recognized or is in the wrong location: ${name}`, true);
  }

  #map(members: ReadonlyMap<string, GoValue>, values: FieldType): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    const outer = this.#place;
    for (const [key, value] of members) {
      const decoded = this.value(value, values, undefined);
      this.#place = undefined;
      Object.defineProperty(made, key, {
        value: decoded ?? emptyOf(values),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    this.#place = outer;
    return made;
  }

  /** An error of a type that decodes itself is the last thing that is read, and counts more than those before it. */
  fail(message: string): never {
    throw new GoDecodeError(message);
  }

  #mismatch(value: GoValue, wanted: FieldType, own: GoPlace | undefined): undefined {
    const named = goTypeAt(own);
    const isList = wanted.form === 'list';
    const type = this.#typeName(named && own && isList ? goListAt(own, named) : (named ?? goType(wanted)));
    const isInteger = wanted.form === 'scalar' && ['integer', 'int64'].includes(wanted.json);
    if (this.#options.release === '3.32') {
      this.error ??= new GoDecodeError(this.#cannotUnmarshal(value, type, isInteger));
      return undefined;
    }
    const text = typeof value === 'string' ? value : goJson(value);
    const where = this.#place === undefined ? 'value' : `field ${this.#place.struct}.${this.#place.field}`;
    const error = new GoDecodeError(`cannot parse ${jsonType(value)} '${text}' into ${where} of type ${type}`);
    // A number where none belongs ends the reading; one that is too large does not.
    if (isGoNumber(value) && goType(wanted) !== 'float64' && !isInteger) throw error;
    this.error ??= error;
    return undefined;
  }

  /** The package of the types that are not in the API of Calico has another name in 3.32. */
  #typeName(type: string): string {
    if (this.#options.release === '3.31') return type;
    return type.replace(/\bv3\.(?=(?:Node|WorkloadEndpoint)(?!Controller)|OrchRef|IPNAT|QoSControls)/, 'internalapi.');
  }

  /** The words of Go's own decoder; those of a type that decodes itself have no place in 3.31. */
  #cannotUnmarshal(value: GoValue, type: string, isInteger: boolean): string {
    const what = isInteger && isGoNumber(value) ? `number ${value.json}` : jsonType(value);
    const hasPlace = this.#options.release === '3.32' && this.#place !== undefined;
    const where = hasPlace ? `struct field ${this.#place?.struct}.${this.#path.join('.')}` : 'value';
    return `json: cannot unmarshal ${what} into Go ${where} of type ${type}`;
  }

  #notText(value: GoValue): undefined {
    return this.fail(this.#cannotUnmarshal(value, 'string', false));
  }

  #scalar(value: NonNullable<GoValue>, type: ScalarType, own: GoPlace | undefined): unknown {
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
      case 'DSCP':
        return typeof value === 'string' ? value : this.#small(value, 'uint8');
      case 'RFC 3339 time':
        return this.#time(value);
      case 'Kubernetes port':
        return typeof value === 'string' ? value : this.#small(value, 'int32');
      default:
        if (type.json !== 'anything') return this.#plain(value, type, own);
        return type.go === undefined ? plainOf(value) : this.#plain(value, { ...type, json: 'int64' }, own);
    }
  }

  #plain(value: NonNullable<GoValue>, type: ScalarType, own: GoPlace | undefined): unknown {
    switch (type.json) {
      case 'string':
        if (typeof value === 'string') return value;
        if (!this.#options.coerces || isEmbedded(own)) return this.#mismatch(value, type, own);
        if (typeof value === 'boolean') return String(value);
        return isGoNumber(value) ? value.text : this.#mismatch(value, type, own);
      case 'boolean':
        return typeof value === 'boolean' ? value : this.#mismatch(value, type, own);
      case 'number':
        return isGoNumber(value) ? Number(value.json) : this.#mismatch(value, type, own);
      case 'integer':
      case 'int64': {
        const go = goTypeAt(own) ?? goType(type);
        const [min, max] = integerRanges[go] ?? [0n, 0n];
        const whole = isGoNumber(value) && /^-?\d+$/.test(value.json) ? BigInt(value.json) : undefined;
        if (whole === undefined || whole < min || whole > max) return this.#mismatch(value, type, own);
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

  #small(value: NonNullable<GoValue>, type: 'uint8' | 'uint16' | 'int32'): number | undefined {
    const [min = 0n, max = 0n] = integerRanges[type] ?? [];
    if (isGoNumber(value)) {
      const number = /^-?\d+$/.test(value.json) ? BigInt(value.json) : undefined;
      if (number !== undefined && number >= min && number <= max) return Number(number);
    }
    return this.fail(this.#cannotUnmarshal(value, type, true));
  }

  #protocol(value: NonNullable<GoValue>): unknown {
    if (typeof value !== 'string') return this.#small(value, 'uint8');
    return /^\d{1,3}$/.test(value) && Number(value) <= 255 ? Number(value) : value;
  }

  #port(value: NonNullable<GoValue>): unknown {
    if (typeof value !== 'string') return this.#small(value, 'uint16');
    const wrong = goPortError(value);
    if (wrong !== undefined) return this.fail(wrong);
    const [, low, high = low] = /^(\d+)(?::(\d+))?$/.exec(value) ?? [];
    if (low === undefined) return value;
    return Number(low) === Number(high) ? Number(low) : `${Number(low)}:${Number(high)}`;
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

/** What an object is read as: the fields of a table, under the name of its struct. */
export interface GoStruct {
  readonly members: ReadonlyMap<string, GoValue>;
  readonly table: FieldTable;
  readonly struct: string;
}

/** The object with the fields of a table. Errors: GoDecodeError. */
export function decodeGo(
  members: ReadonlyMap<string, GoValue>,
  table: FieldTable,
  struct: string,
  options?: DecodeOptions,
): Record<string, unknown> {
  return decodeAll([{ members, table, struct }], options)[0] ?? {};
}

/** The objects of one document, whose errors count together: names of unknown fields only without any other error. */
export function decodeAll(
  objects: readonly GoStruct[],
  options: DecodeOptions = { release: '3.31', coerces: true },
): Record<string, unknown>[] {
  const decoder = new GoDecoder(options);
  const made = objects.map(({ members, table, struct }) => decoder.struct(members, table, struct));
  if (decoder.error !== undefined) throw decoder.error;
  if (decoder.unknown.length > 0) throw new GoDecodeError(unknownFields(decoder.unknown));
  return made;
}
