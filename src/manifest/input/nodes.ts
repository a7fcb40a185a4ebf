// Parsed YAML as a decoder sees it: aliases followed, merge keys (`<<`) expanded, within limits.
import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap } from 'yaml';

/** One member of a mapping. */
export interface Member {
  readonly key: string;
  readonly keyNode: ParsedNode;
  readonly value: ParsedNode | null;
  /** It comes from a merged mapping: members of the mapping itself go before it. */
  readonly isMerged: boolean;
}

/** An alias that leads nowhere, or a document that means much more than it says. */
export class AliasError extends Error {
  readonly node: ParsedNode;

  constructor(node: ParsedNode, message: string) {
    super(message);
    this.node = node;
  }
}

/** Aliases that one document may follow: enough for any manifest, and few for a machine. */
const mostAliases = 10_000;

/** Follows aliases and counts them. */
export class AliasFollower {
  readonly #document: Document.Parsed;
  #followed = 0;

  constructor(document: Document.Parsed) {
    this.#document = document;
  }

  /** The node that is meant. Errors: AliasError. */
  target(node: ParsedNode | null): Exclude<ParsedNode, { source: string; toJSON: never }> | null {
    let found = node;
    while (isAlias(found)) {
      this.#followed++;
      if (this.#followed > mostAliases) throw new AliasError(found, `aliases are used more than ${mostAliases} times`);
      const next = found.resolve(this.#document as never) as ParsedNode | undefined;
      if (next === undefined) throw new AliasError(found, `no anchor &${found.source} for the alias *${found.source}`);
      found = next;
    }
    return found as never;
  }

  /** All members in their order, those of merged mappings where the `<<` is. Errors: AliasError. */
  members(map: YAMLMap): Member[] {
    return (map.items as Pair<ParsedNode, ParsedNode | null>[]).flatMap((pair): Member[] => {
      if (isMergeKey(pair.key)) return this.#merged(pair.value);
      return [{ key: keyText(pair.key), keyNode: pair.key, value: pair.value, isMerged: false }];
    });
  }

  #merged(value: ParsedNode | null): Member[] {
    const source = this.target(value);
    if (isSeq(source)) return (source.items as ParsedNode[]).flatMap((item) => this.#merged(item));
    if (!isMap(source)) return [];
    return this.members(source as YAMLMap).map((member) => ({ ...member, isMerged: true }));
  }
}

function isMergeKey(key: ParsedNode): boolean {
  return isScalar(key) && key.type === 'PLAIN' && (key.source === '<<' || String(key.value) === '<<');
}

function keyText(key: ParsedNode): string {
  if (!isScalar(key)) return String(key);
  return key.type === 'PLAIN' && typeof key.source === 'string' && key.value !== null
    ? key.source
    : String(key.value ?? '');
}
