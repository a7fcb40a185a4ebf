// Values as Go's fmt package prints them: Sprint, Sprintln and the verbs of Sprintf.
import { goFloat } from '../text/go-number.ts';
import {
  GoFloat,
  GoPointer,
  GoStruct,
  type GoValue,
  goValue,
  isInteger,
  isList,
  isMap,
  noValue,
  sortedKeys,
  typeName,
} from './go-values.ts';

/** `%v`. In maps and lists, missing values and nil are `<nil>`. */
export function goText(value: GoValue): string {
  if (value === noValue || value === null) return '<nil>';
  if (typeof value === 'string') return value;
  if (value instanceof GoFloat) return goFloat(value.value);
  // Inside of structs Go prints addresses, which mean nothing to a reader.
  if (value instanceof GoPointer) return value.to === undefined ? value.nilText : goText(value.to);
  if (value instanceof GoStruct) {
    return value.text ?? `{${value.fields.map((field) => goText(field.value())).join(' ')}}`;
  }
  if (isList(value)) return `[${value.map((item) => goText(goValue(item))).join(' ')}]`;
  if (isMap(value)) {
    return `map[${sortedKeys(value)
      .map((key) => `${key}:${goText(goValue(value[key]))}`)
      .join(' ')}]`;
  }
  return String(value);
}

const isText = (value: GoValue): boolean => typeof value === 'string';

/** Go's Sprint: a space between two operands of which neither is a string. */
export function sprint(values: readonly GoValue[]): string {
  return values
    .map((value, index) => {
      const before = values[index - 1];
      const isApart = index > 0 && before !== undefined && !isText(value) && !isText(before);
      return `${isApart ? ' ' : ''}${goText(value)}`;
    })
    .join('');
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** Go's `%q` of a string. */
function quoted(text: string): string {
  const inside = [...text].map((character) => {
    const short = shortEscapes[character];
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
    if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(character)) {
      return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
    }
    return character;
  });
  return `"${inside.join('')}"`;
}

/** `%#v`, of what templates meet. */
function goSyntax(value: GoValue): string {
  if (typeof value === 'string') return quoted(value);
  if (isList(value)) return `${typeName(value)}{${value.map((item) => goSyntax(goValue(item))).join(', ')}}`;
  if (isMap(value)) {
    const entries = sortedKeys(value).map((key) => `${quoted(key)}:${goSyntax(goValue(value[key]))}`);
    return `${typeName(value)}{${entries.join(', ')}}`;
  }
  return goText(value);
}

interface Verb {
  readonly verb: string;
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

function exponentOf(text: string): string {
  return text.replace(/e([-+])(\d)$/, 'e$10$2');
}

/** Go's `%g` with a precision: that many significant digits, without trailing zeros. */
function shortest(value: number, precision: number): string {
  const digits = Math.max(precision, 1);
  const [mantissa = '', exponentText = '0'] = value.toExponential(digits - 1).split('e');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= digits) {
    const kept = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
    return exponentOf(`${kept}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`);
  }
  const plain = value.toFixed(Math.max(0, digits - 1 - exponent));
  return plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain;
}

function floatText(value: number, { verb, precision }: Verb): string | undefined {
  switch (verb) {
    case 'v':
      return precision === undefined ? goFloat(value) : shortest(value, precision);
    case 'g':
    case 'G': {
      const text = precision === undefined ? goFloat(value) : shortest(value, precision);
      return verb === 'G' ? text.toUpperCase() : text;
    }
    case 'f':
    case 'F':
      return value.toFixed(precision ?? 6);
    case 'e':
    case 'E': {
      const text = exponentOf(value.toExponential(precision ?? 6));
      return verb === 'E' ? text.toUpperCase() : text;
    }
    default:
      return undefined;
  }
}

const radixes: Readonly<Record<string, readonly [radix: number, prefix: string]>> = {
  b: [2, '0b'],
  o: [8, '0'],
  O: [8, '0o'],
  x: [16, '0x'],
  X: [16, '0X'],
};

function integerText(value: number | bigint, { verb, flags, precision }: Verb): string | undefined {
  const whole = BigInt(value);
  const size = whole < 0n ? -whole : whole;
  const sign = whole < 0n ? '-' : '';
  if (verb === 'd' || verb === 'v') return sign + size.toString().padStart(precision ?? 1, '0');
  const [radix, prefix] = radixes[verb] ?? [];
  if (radix !== undefined) {
    const digits = size.toString(radix).padStart(precision ?? 1, '0');
    const marked = flags.includes('#') || verb === 'O' ? prefix : '';
    return `${sign}${marked}${verb === 'X' ? digits.toUpperCase() : digits}`;
  }
  if (verb === 'c') return size <= 0x10ffffn ? String.fromCodePoint(Number(size)) : '\ufffd';
  if (verb === 'q') return `'${size <= 0x10ffffn ? String.fromCodePoint(Number(size)) : '\ufffd'}'`;
  if (verb === 'U') return `U+${size.toString(16).toUpperCase().padStart(4, '0')}`;
  return undefined;
}

function hexOf(text: string, { verb, flags }: Verb): string {
  const bytes = [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0'));
  const hex = bytes.join(flags.includes(' ') ? ' ' : '');
  return verb === 'X' ? hex.toUpperCase() : hex;
}

function stringText(value: string, verb: Verb): string | undefined {
  const cut = verb.precision === undefined ? value : [...value].slice(0, verb.precision).join('');
  switch (verb.verb) {
    case 'v':
      return verb.flags.includes('#') ? quoted(cut) : cut;
    case 's':
      return cut;
    case 'q':
      return verb.flags.includes('#') && !/[`\p{Cc}]/u.test(cut) ? `\`${cut}\`` : quoted(cut);
    case 'x':
    case 'X':
      return hexOf(cut, verb);
    default:
      return undefined;
  }
}

/** The text of one verb before it is padded; undefined for a verb that the value does not have. */
function verbText(value: GoValue, verb: Verb): string | undefined {
  if (verb.verb === 'T') return typeName(value);
  if (value instanceof GoPointer && value.to !== undefined) return verbText(value.to, verb);
  if (value instanceof GoStruct && value.text !== undefined && /[svq]/.test(verb.verb))
    return stringText(value.text, verb);
  if (typeof value === 'string') return stringText(value, verb);
  if (value instanceof GoFloat) return floatText(value.value, verb);
  if (isInteger(value)) return integerText(value, verb);
  if (typeof value === 'boolean') return verb.verb === 'v' || verb.verb === 't' ? String(value) : undefined;
  if (isList(value) && verb.verb !== 'v') {
    return `[${value.map((item) => formatted(goValue(item), { ...verb, width: 0 })).join(' ')}]`;
  }
  if (verb.verb === 'v') return verb.flags.includes('#') ? goSyntax(value) : goText(value);
  return value === null || value === noValue ? `%!${verb.verb}(<nil>)` : undefined;
}

function isNumber(value: GoValue): boolean {
  return isInteger(value) || value instanceof GoFloat;
}

function formatted(value: GoValue, verb: Verb): string {
  let text = verbText(value, verb) ?? `%!${verb.verb}(${typeName(value)}=${goText(value)})`;
  if (isNumber(value) && !text.startsWith('-') && !text.startsWith('%') && /[dvfFeEgG]/.test(verb.verb)) {
    if (verb.flags.includes('+')) text = `+${text}`;
    else if (verb.flags.includes(' ')) text = ` ${text}`;
  }
  const missing = verb.width - [...text].length;
  if (missing <= 0) return text;
  if (verb.flags.includes('-')) return text + ' '.repeat(missing);
  if (verb.flags.includes('0') && isNumber(value)) {
    const [, sign = '', digits = ''] = /^([-+ ]?)(.*)$/s.exec(text) ?? [];
    return sign + '0'.repeat(missing) + digits;
  }
  return ' '.repeat(missing) + text;
}

const directive = /%([-+# 0]*)(\d+|\*)?(?:\.(\d+|\*)?)?(.)?/su;
/** A wider field would only waste memory. */
const greatestWidth = 100_000;

/** Go's Sprintf, with its notes on wrong verbs and operands (`%!d(string=x)`, `%!d(MISSING)`). */
export function sprintf(format: string, operands: readonly GoValue[]): string {
  let text = '';
  let rest = format;
  let next = 0;
  const star = (): number => {
    const value = operands[next++];
    return typeof value === 'number' ? Math.min(value, greatestWidth) : 0;
  };
  for (;;) {
    const found = directive.exec(rest);
    if (found === null) break;
    const [all, givenFlags = '', width, precision, verb] = found;
    text += rest.slice(0, found.index);
    rest = rest.slice(found.index + all.length);
    if (verb === undefined) {
      text += '%!(NOVERB)';
    } else if (verb === '%') {
      text += '%';
    } else {
      let wide = width === '*' ? star() : Math.min(Number(width ?? 0), greatestWidth);
      const flags = wide < 0 ? `${givenFlags}-` : givenFlags;
      wide = Math.abs(wide);
      const digits =
        precision === '*' ? star() : precision === undefined ? undefined : Math.min(Number(precision), 100);
      const isPrecise = all.includes('.');
      const operand = operands[next++];
      text +=
        operand === undefined
          ? `%!${verb}(MISSING)`
          : formatted(operand, { verb, flags, width: wide, precision: isPrecise ? (digits ?? 0) : undefined });
    }
  }
  text += rest;
  const extra = operands.slice(next).map((value) => (value === null ? '<nil>' : `${typeName(value)}=${goText(value)}`));
  return extra.length === 0 ? text : `${text}%!(EXTRA ${extra.join(', ')})`;
}
