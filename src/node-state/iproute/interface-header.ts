// The first line of an interface in the plain output of `ip link` and `ip addr`.
import { wholeNumber, wordsOf } from '../parsing.ts';

export interface InterfaceHeader {
  readonly index: number;
  readonly name: string;
  /** After the `@`: the name of an interface of this namespace, `if7` for index 7 in another namespace, or `NONE`. */
  readonly other: string | undefined;
  readonly flags: readonly string[];
  /** `mtu 1450 qdisc noqueue …`: keywords and values alternate. */
  readonly words: readonly string[];
}

/** `3: cali1@if2: <BROADCAST,UP> mtu 1450 …`; undefined for any other line. */
export function interfaceHeader(line: string): InterfaceHeader | undefined {
  const [, index, name, other, flags, rest] =
    /^(\d+): ([^\s@:]+)(?:@([^\s@:]+))?: <([^<>\s]*)> (mtu \d.*)$/.exec(line) ?? [];
  const number = wholeNumber(index);
  if (number === undefined || name === undefined) return undefined;
  return {
    index: number,
    name,
    other,
    flags: (flags ?? '').split(',').filter((flag) => flag !== ''),
    words: wordsOf(rest ?? ''),
  };
}
