// Reads a manifest as input of a command: its objects in projectcalico.org/v3 form, and all that is wrong in it.
import { isMap, isScalar, isSeq, type ParsedNode, type YAMLMap } from 'yaml';
import { calico2Kind, calico2Problems, fromCalico2 } from '../../resources/calico2/convert.ts';
import { fromKubernetesPolicy } from '../../resources/calico2/kubernetes-policy.ts';
import type { Calico2Object } from '../../resources/calico2/values.ts';
import { toV3 } from '../../resources/convert/v3.ts';
import { type FieldTable, field, object, text } from '../../resources/field.ts';
import { type FieldPath, fieldPathText } from '../../resources/field-path.ts';
import { normalise } from '../../resources/int64.ts';
import { customResourceGroup, type Kind, storedApiVersion, v3ApiVersion } from '../../resources/kind.ts';
import { kubernetesNetworkPolicy } from '../../resources/kinds/kubernetes-network-policy.ts';
import { kindOf, kinds } from '../../resources/kinds.ts';
import type { KubeObject } from '../../resources/object.ts';
import { shownTable, storedTable } from '../../resources/object-tables.ts';
import type { RuleProblem } from '../../resources/rules/rule-problem.ts';
import { closest } from '../../text/closest.ts';
import { CalictlError } from '../../world/errors.ts';
import { Decoder } from './decode.ts';
import { type Position, TextPositions } from './text-positions.ts';
import { type YamlDocument, yamlDocuments } from './yaml-documents.ts';

/** An object of a manifest. */
export interface ManifestObject extends Position {
  readonly kind: Kind;
  /** In projectcalico.org/v3 form, as it is written: nothing filled in. */
  readonly object: KubeObject;
  /** The name of the file as the user gave it, or `-`. */
  readonly file: string;
  /** Where the value at the path is written, or the nearest one around it. */
  positionOf(path: FieldPath): Position;
}

/** Something wrong in a manifest. */
export interface ManifestProblem extends Position {
  readonly file: string;
  /** `IPPool pool-1`; absent when that is not known. */
  readonly object?: string;
  /** Of a field: `spec.cidr`; empty for a whole document. */
  readonly path: string;
  /** To be read after the path: `must be an integer`. */
  readonly message: string;
  readonly hint?: string;
}

export interface ReadManifest {
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly ManifestProblem[];
}

/** The kinds that manifests may hold: those that people write. */
function isWritable({ codec }: Kind): boolean {
  return codec !== undefined;
}

export interface ReadOptions {
  /** Reads objects of Calico 2 and NetworkPolicies of Kubernetes too, as what they become in projectcalico.org/v3. */
  readonly converts?: boolean;
}

class Reader {
  readonly objects: ManifestObject[] = [];
  readonly problems: ManifestProblem[] = [];
  readonly #file: string;
  readonly #positions: TextPositions;
  readonly #converts: boolean;

  constructor(file: string, text: string, { converts = false }: ReadOptions) {
    this.#file = file;
    this.#converts = converts;
    this.#positions = new TextPositions(text);
  }

  fail(offset: number, message: string, hint?: string): void {
    const at = this.#positions.at(offset);
    this.problems.push({ file: this.#file, ...at, path: '', message, ...(hint === undefined ? {} : { hint }) });
  }

  add(document: YamlDocument, length: number): void {
    if (document.contents === null) return;
    const decoder = new Decoder(document, this.#positions, length);
    const before = this.objects.length;
    try {
      this.#collect(document.contents, decoder, {});
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.objects.length = before;
      this.fail(document.offset, 'its aliases or its nesting make it too large to be read');
    }
    // What belongs to an object was taken when the object was done.
    this.#take(decoder, undefined);
  }

  /** The problems found since the last call. */
  #take(decoder: Decoder, object: string | undefined): number {
    const found = decoder.problems.splice(0);
    for (const { path, offset, message, hint } of found) {
      this.problems.push({
        file: this.#file,
        ...this.#positions.at(offset),
        ...(object === undefined ? {} : { object }),
        path: fieldPathText(path),
        message,
        ...(hint === undefined ? {} : { hint }),
      });
    }
    return found.length;
  }

  /** The objects in a node: an object, a list of objects, or a Kubernetes List; lists may hold lists. */
  #collect(node: ParsedNode, decoder: Decoder, inherited: Envelope): void {
    const found = decoder.target(node, []);
    if (found === undefined) return;
    if (isSeq(found)) {
      for (const item of found.items as ParsedNode[]) this.#collect(item, decoder, inherited);
      return;
    }
    if (found === null || !isMap(found)) {
      if (found !== null && isScalar(found) && found.value === null) return;
      decoder.problem(found ?? node, [], 'the document is not an object', 'write apiVersion, kind, metadata and spec');
      return;
    }
    const map = found as YAMLMap;
    const envelope = { ...inherited, ...envelopeOf(map, decoder) };
    const items = decoder.member(map, 'items');
    if (envelope.kind?.endsWith('List') && (items !== undefined || decoder.member(map, 'spec') === undefined)) {
      this.#items(map, items ?? null, decoder, envelope);
    } else this.#object(map, decoder, envelope);
  }

  #items(map: YAMLMap, items: ParsedNode | null, decoder: Decoder, { apiVersion, kind = '' }: Envelope): void {
    const list = decoder.target(items, ['items']);
    if (list === undefined) return;
    if (list === null || (isScalar(list) && list.value === null)) return;
    if (!isSeq(list)) {
      decoder.problem(list ?? (map as never), ['items'], 'must be a list of objects');
      return;
    }
    // A server leaves kind and version out of the items of a list of one kind.
    const inherited: Envelope = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
    for (const item of list.items as ParsedNode[]) this.#collect(item, decoder, inherited);
  }

  #object(map: YAMLMap, decoder: Decoder, { apiVersion, kind: kindName }: Envelope): void {
    if (kindName === undefined || apiVersion === undefined) {
      const lacking = kindName === undefined ? 'kind' : 'apiVersion';
      if (decoder.problems.length === 0) decoder.problem(map as never, [lacking], 'is missing', envelopeHints[lacking]);
      this.#take(decoder, undefined);
      return;
    }
    const conversion = this.#converts ? conversionOf(apiVersion, kindName) : undefined;
    if (conversion !== undefined) {
      this.#converted(map, decoder, kindName, conversion);
      return;
    }
    const kind = kindOf(apiVersion, kindName);
    if (
      kind === undefined ||
      !isWritable(kind) ||
      (apiVersion !== v3ApiVersion && kind.api.group !== customResourceGroup)
    ) {
      const isKnown = kinds.some((one) => one.kind === kindName);
      const at = decoder.member(map, isKnown ? 'apiVersion' : 'kind') ?? (map as never);
      decoder.problem(at, [], ...unusable(apiVersion, kindName));
      this.#take(decoder, undefined);
      return;
    }
    const table = apiVersion === v3ApiVersion ? shownTable(kind) : storedTable(kind);
    const decoded = decoder.object(map as never, table);
    if (decoded === undefined) return;
    const object = { apiVersion, kind: kindName, ...decoded } as unknown as KubeObject;
    if (object.metadata === undefined && decoder.member(map, 'metadata') === undefined) {
      decoder.problem(map as never, ['metadata', 'name'], 'is missing');
    }
    const name = object.metadata?.name;
    const hadProblems = this.#take(decoder, name === undefined ? kindName : `${kindName} ${name}`) > 0;
    if (hadProblems) return;
    this.#push(map, decoder, {
      kind,
      object: apiVersion === v3ApiVersion ? normalise(kind, object) : toV3(kind, normalise(kind, object)),
    });
  }

  #push(map: YAMLMap, decoder: Decoder, read: Pick<ManifestObject, 'kind' | 'object'>): void {
    const { aliases } = decoder;
    this.objects.push({
      ...read,
      file: this.#file,
      ...this.#positions.at(decoder.offsetOf(map as never)),
      positionOf: (path) => this.#positions.at(decoder.offsetOf(nodeAt(map as never, path, aliases))),
    });
  }

  #converted(map: YAMLMap, decoder: Decoder, kindName: string, { table, problems, convert }: Conversion): void {
    const decoded = decoder.object(map as never, table);
    if (decoded === undefined) return;
    const { metadata = {}, spec = {} } = decoded as Partial<Calico2Object>;
    const name = metadata['name'];
    const shown = typeof name === 'string' ? `${kindName} ${name}` : kindName;
    if (this.#take(decoder, shown) > 0) return;
    for (const { path, message } of problems({ metadata, spec })) {
      decoder.problem(nodeAt(map as never, path, decoder.aliases), path, message);
    }
    if (this.#take(decoder, shown) > 0) return;
    try {
      const object = convert({ metadata, spec });
      const kind = kindOf(v3ApiVersion, object.kind);
      if (kind !== undefined) this.#push(map, decoder, { kind, object });
    } catch (error) {
      if (!(error instanceof CalictlError && error.code === 'UNCONVERTIBLE')) throw error;
      decoder.problem(map as never, [], `cannot be converted: ${error.message}`);
      this.#take(decoder, shown);
    }
  }
}

/** How an object of another API is read. */
interface Conversion {
  readonly table: FieldTable;
  problems(object: Calico2Object): readonly RuleProblem[];
  /** Errors: CalictlError UNCONVERTIBLE. */
  convert(object: Calico2Object): KubeObject;
}

function conversionOf(apiVersion: string, kindName: string): Conversion | undefined {
  const envelope = { apiVersion: field(text, ''), kind: field(text, '') };
  const kind = calico2Kind(apiVersion, kindName);
  if (kind !== undefined) {
    const { metadata, spec } = kind.fields;
    return {
      table: { ...envelope, metadata: field(object(metadata), ''), spec: field(object(spec), '') },
      problems: (given) => calico2Problems(kind, given),
      convert: (given) => fromCalico2(kind, given),
    };
  }
  if (kindOf(apiVersion, kindName) !== kubernetesNetworkPolicy) return undefined;
  return {
    table: storedTable(kubernetesNetworkPolicy),
    problems: () => [],
    convert: (given) => fromKubernetesPolicy(given as unknown as KubeObject),
  };
}

interface Envelope {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
}

const envelopeHints = {
  kind: 'write for example kind: IPPool',
  apiVersion: `write apiVersion: ${v3ApiVersion}`,
} as const;

function envelopeOf(map: YAMLMap, decoder: Decoder): Envelope {
  const read = (name: 'apiVersion' | 'kind'): Envelope => {
    const node = decoder.member(map, name);
    if (node === undefined || node === null) return {};
    const target = decoder.target(node, [name]);
    if (isScalar(target) && typeof target.value === 'string') return { [name]: target.value };
    if (target !== undefined) decoder.problem(target ?? node, [name], 'must be a string');
    return {};
  };
  return { ...read('apiVersion'), ...read('kind') };
}

/** Why objects of this kind and version are not read, and what to do. */
function unusable(apiVersion: string, kindName: string): [message: string, hint?: string] {
  if (calico2Kind(apiVersion, kindName) !== undefined) {
    return [`${kindName} of ${apiVersion} is an object of Calico 2`, 'calictl convert converts it to Calico 3'];
  }
  const named = kinds.find(({ kind }) => kind === kindName);
  if (named !== undefined && !isWritable(named)) {
    return named.api.group === customResourceGroup
      ? [`${kindName} objects are written by IPAM itself, not from manifests`, "see 'calictl ipam --help'"]
      : [`${kindName} is a Kubernetes kind`, 'use kubectl for it'];
  }
  const writable = kinds.filter(isWritable).map(({ kind }) => kind);
  if (named !== undefined) {
    return apiVersion === storedApiVersion(named)
      ? [`${kindName} of ${apiVersion} is a Kubernetes kind`, `Calico's ${kindName} has apiVersion: ${v3ApiVersion}`]
      : [`${kindName} has no version ${apiVersion}`, `write apiVersion: ${v3ApiVersion}`];
  }
  const near = closest(kindName, writable);
  return [
    `${kindName} of ${apiVersion} is not a Calico kind`,
    near === undefined ? 'check the spelling of kind and apiVersion' : `did you mean kind: ${near} of ${v3ApiVersion}?`,
  ];
}

/** The node at the path, or the nearest one around it; the key where there is one. */
function nodeAt(root: ParsedNode, path: FieldPath, aliases: Decoder['aliases']): ParsedNode {
  let at: ParsedNode = root;
  let value: ParsedNode | null = root;
  for (const part of path) {
    const node: ParsedNode | null = aliases.target(value);
    let next: { readonly shown: ParsedNode; readonly value: ParsedNode | null } | undefined;
    if (typeof part === 'number' && isSeq(node)) {
      const item = node.items[part] as ParsedNode | undefined;
      next = item && { shown: item, value: item };
    } else if (isMap(node)) {
      const members = aliases.members(node as YAMLMap);
      const lower = String(part).toLowerCase();
      const member =
        members.findLast(({ key }) => key === part) ?? members.find(({ key }) => key.toLowerCase() === lower);
      next = member && { shown: member.keyNode, value: member.value };
    }
    if (next === undefined) break;
    at = next.shown;
    value = next.value;
  }
  return at;
}

/** The objects of a text and all of its problems, each in the order of the text. An object with a problem is left out. */
export function readManifest(file: string, text: string, options: ReadOptions = {}): ReadManifest {
  const reader = new Reader(file, text, options);
  for (const one of yamlDocuments(text)) {
    if ('document' in one) reader.add(one, text.length);
    else reader.fail(one.offset, one.message, one.hint);
  }
  return { objects: reader.objects, problems: reader.problems };
}
