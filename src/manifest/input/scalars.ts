// Scalars of YAML as values of fields. What calicoctl accepts is accepted, but not what it would change on the way:
// an unquoted `1.10` or `yes` in a text is refused, for readers of YAML 1.1 take them for 1.1 and true.
import type { Scalar } from 'yaml';
import type { ScalarType } from '../../resources/field.ts';

/** What a scalar cannot be: the words after `must be` or the whole sentence, and what to write. */
export interface ScalarProblem {
  readonly message: string;
  readonly hint?: string;
}

export type ScalarValue = string | number | bigint | boolean;

const yamlTruths = /^(?:y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE)$/;
const yamlFalsehoods = /^(?:n|N|no|No|NO|off|Off|OFF|false|False|FALSE)$/;

/** Integers of YAML 1.1 only: with underscores, binary, octal with a plain 0, base 60. */
const oddNumber = /^[-+]?(?:0b[01_]+|0x[\da-fA-F_]+|0[0-7_]+|\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?|\d[\d_]*_[\d_]*)$/;

const nothing = /^(?:~|null|Null|NULL|)$/;

/** How the scalar is written: its own text without quotes. */
function sourceOf({ source, value }: Scalar): string {
  return source ?? String(value ?? '');
}

function isPlain({ type, tag }: Scalar): boolean {
  return type === 'PLAIN' && tag !== 'tag:yaml.org,2002:str' && tag !== '!';
}

/** True for an absent value, `~` and `null`: for Go's decoders all the same as no field. */
export function isNothing(scalar: Scalar): boolean {
  return isPlain(scalar) && nothing.test(sourceOf(scalar));
}

function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`;
}

/** A text; a number or boolean that reads the same for every reader of YAML is taken as it is written. */
function text(scalar: Scalar): ScalarValue | ScalarProblem {
  const source = sourceOf(scalar);
  if (!isPlain(scalar)) return typeof scalar.value === 'string' ? scalar.value : source;
  const isBoolean = yamlTruths.test(source) || yamlFalsehoods.test(source);
  if (isBoolean && source !== 'true' && source !== 'false') {
    return { message: `is ambiguous: unquoted, ${source} means a boolean`, hint: `write ${quoted(source)}` };
  }
  const isNumber = typeof scalar.value === 'number' || typeof scalar.value === 'bigint' || oddNumber.test(source);
  if (isNumber && (oddNumber.test(source) || String(scalar.value) !== source)) {
    return { message: `is ambiguous: unquoted, ${source} means a number`, hint: `write ${quoted(source)}` };
  }
  return source;
}

function boolean(scalar: Scalar): ScalarValue | ScalarProblem {
  const source = sourceOf(scalar);
  const isTrue = yamlTruths.test(source);
  if (!isTrue && !yamlFalsehoods.test(source)) return { message: 'must be true or false' };
  return isPlain(scalar) ? isTrue : { message: 'must be true or false', hint: `write ${isTrue} without quotes` };
}

function wholeNumber(scalar: Scalar): ScalarValue | ScalarProblem {
  const source = sourceOf(scalar);
  if (!isPlain(scalar)) {
    return /^-?\d+$/.test(source)
      ? { message: 'must be an integer', hint: `write ${source} without quotes` }
      : { message: 'must be an integer' };
  }
  if (oddNumber.test(source)) {
    return { message: `is ambiguous: ${source} is not the same number for every reader`, hint: 'write it in decimal' };
  }
  const { value } = scalar;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  // 1e3 and 65001.0 are whole numbers too.
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : { message: 'must be an integer' };
}

function decimal(scalar: Scalar): ScalarValue | ScalarProblem {
  if (!isPlain(scalar)) return { message: 'must be a number' };
  const { value } = scalar;
  if (oddNumber.test(sourceOf(scalar))) return wholeNumber(scalar);
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : { message: 'must be a number' };
}

/** An AS number is plain (`64512`) or dotted (`'1.10'`), quoted or not. */
function asNumber(scalar: Scalar): ScalarValue | ScalarProblem {
  const source = sourceOf(scalar);
  const dotted = /^(\d{1,5})\.(\d{1,5})$/.exec(source);
  if (dotted !== null) {
    if (isPlain(scalar))
      return { message: `is ambiguous: unquoted, ${source} means a number`, hint: `write '${source}'` };
    const [high = 0, low = 0] = dotted.slice(1).map(Number);
    if (high <= 0xffff && low <= 0xffff) return high * 65536 + low;
  } else if (/^\d{1,10}$/.test(source) && !oddNumber.test(source) && Number(source) <= 0xffffffff) {
    return Number(source);
  }
  return { message: 'must be an AS number', hint: "write a number from 0 to 4294967295, or '1.10' in quotes" };
}

function integerOrText(scalar: Scalar): ScalarValue | ScalarProblem {
  if (!isPlain(scalar)) return sourceOf(scalar);
  return typeof scalar.value === 'bigint' || typeof scalar.value === 'number' ? wholeNumber(scalar) : text(scalar);
}

function booleanOrText(scalar: Scalar): ScalarValue | ScalarProblem {
  const asBoolean = boolean(scalar);
  return typeof asBoolean === 'boolean' ? asBoolean : text(scalar);
}

const readers: Readonly<Record<string, (scalar: Scalar) => ScalarValue | ScalarProblem>> = {
  string: text,
  boolean,
  integer: wholeNumber,
  int64: (scalar: Scalar) => {
    const value = wholeNumber(scalar);
    return typeof value === 'number' ? BigInt(value) : value;
  },
  number: decimal,
  'integer-or-string': integerOrText,
  'boolean-or-string': booleanOrText,
};

/** The value that a field of the type gets from the scalar, or what is wrong. */
export function scalarValue(scalar: Scalar, type: ScalarType): ScalarValue | ScalarProblem {
  if (type.format === 'AS number') return asNumber(scalar);
  return (readers[type.json] ?? text)(scalar);
}
