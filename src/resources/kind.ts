// The description of a kind: where it is stored, what it is called, what its fields are, and how it is shown.
// Other modules never test for the name of a kind: what is particular to one is described here.
import { type CalicoApi, customResourceApi, customResourceGroup, v3ApiVersion } from './calico-api.ts';
import type { FieldTable } from './field.ts';
import type { KubeObject, ObjectRef } from './object.ts';
import type { RuleProblem } from './rules/rule-problem.ts';

export { type CalicoApi, customResourceApi, customResourceGroup, v3ApiVersion };

/** What a column needs besides its own object: all objects of another kind, or the one of that name. */
export interface Need {
  readonly kind: Kind;
  readonly name?: string;
}

/** The objects that the columns of a table need. */
export interface RelatedObjects {
  /** All objects of the kind, in the order of the datastore; the same array in each call. */
  all<T extends KubeObject>(kind: Kind<T>): readonly T[];
  /** The one of that name; undefined when it does not exist, `unreadable` when it could not be read. */
  one<T extends KubeObject>(kind: Kind<T>, name: string): T | 'unreadable' | undefined;
}

/** A column of a table. T is the form in which people see objects. */
export interface Column<T extends KubeObject = KubeObject> {
  readonly heading: string;
  readonly needs: readonly Need[];
  cell(object: T, related: RelatedObjects): string;
}

/** The fields of an object besides its metadata. */
export interface ObjectFields {
  readonly spec?: () => FieldTable;
  readonly status?: () => FieldTable;
  /** Where Calico's programs print no status of an object that has none: everywhere, or only where objects are kept there. */
  readonly omitsStatus?: true | CalicoApi;
}

/**
 * Between the stored form T of a kind and S, the `projectcalico.org/v3` form that people see. Neither changes its argument.
 * A stored object says in its apiVersion which form it has.
 */
export interface Codec<T extends KubeObject = KubeObject, S extends KubeObject = T> {
  toV3(stored: T, kind: Kind): KubeObject;
  fromV3(shown: S, kind: Kind, calicoApi: CalicoApi): KubeObject;
  /**
   * The stored object with what the shown one says; everything else of it stays. Present where Kubernetes owns the object,
   * and Calico only keeps fields of its own in it.
   */
  onto?(shown: S, stored: T): KubeObject;
}

/** What differs where objects of a kind are kept in `projectcalico.org/v3`, besides their apiVersion and metadata. */
export interface NativeForm {
  /** True for a kind that only CRDs have in that API: its objects prove that Calico keeps all of its objects there. */
  readonly isProof?: true;
  /** The name of the kind there, if another. */
  readonly kind?: string;
  /** The plural there, if another. */
  readonly plural?: string;
  /** The spec as it is stored there, from the one of crd.projectcalico.org/v1 or one that is right already. */
  toNative?(spec: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** The spec as crd.projectcalico.org/v1 stores it. */
  fromNative?(spec: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** How objects of a kind are derived from those of one other kind. */
export interface DerivationSource<T extends KubeObject = KubeObject, From extends KubeObject = KubeObject> {
  readonly from: Kind<From>;
  /** The object derived from `source`, or undefined when there is none. */
  derive(source: From, options: DerivationOptions): T | undefined;
  /** The object from which the one of this name is derived; undefined for a name that none derived from this kind has. */
  sourceOf(ref: ObjectRef): ObjectRef | undefined;
  /** The source once the derived object was deleted; absent when that cannot be done. */
  withdrawn?(source: From): From;
}

export interface MalformedName {
  readonly text: string;
  /** True when calicoctl prints nothing but the text, and not that the object does not exist. */
  readonly isWhole?: true;
}

/** How objects of a kind are derived from others. */
export interface Derivation<T extends KubeObject = KubeObject> {
  /** In the order in which a list has what is derived from them. */
  readonly sources: readonly DerivationSource<T>[];
  /** Objects that exist always, at the beginning of every list. */
  readonly fixed?: () => readonly T[];
  /** The error of a Kubernetes datastore for a name that no derived object has, when the object is read or deleted. */
  malformedName(name: string, isDeleted: boolean): MalformedName;
}

export interface DerivationOptions {
  /** Prefix of the names of workload interfaces. */
  readonly interfacePrefix?: string | undefined;
}

/** Names of a kind whose custom resources may have a stored name that differs from the one that people see. */
export interface Naming {
  /**
   * The names under which a `crd.projectcalico.org/v1` datastore may store the object of this name: first the one that
   * Calico up to 3.31 uses, then, where it differs, the one of later versions. Native v3 objects are stored under their name.
   */
  storedNames(name: string): readonly string[];
  /** What calicoctl says about an object that must not be created or updated under its name; undefined when it may. */
  problem(shown: KubeObject): string | undefined;
}

/**
 * What a client asks for. Replacing, patching and labelling an object are updates; applying it creates it and, when that
 * is refused or there is one, updates it, unless applying itself is refused.
 */
export type WriteVerb = 'create' | 'apply' | 'update' | 'delete';

/** Writes that Calico's clients refuse, although the datastore might do them. */
export interface Refusal {
  readonly verbs: readonly WriteVerb[];
  /** Objects that are refused; all of the kind when absent. */
  names?(name: string, calicoApi: CalicoApi): boolean;
  /**
   * `asked`: whatever the datastore holds. `written`: an update is refused only when there is such an object, a create only
   * when there is what it needs, as the tier of a policy. Patching and labelling read the object first in any case. `sent`:
   * only an object that passes all other checks is refused.
   */
  readonly when: 'asked' | 'written' | 'sent';
  /** calicoctl's message. `id` is `Kind(name)` or `Kind(namespace/name)`. */
  message(id: string, name: string, verb: WriteVerb): string;
  /** What to do instead. */
  readonly hint: string;
}

/** In which order Calico applies the objects of a kind. */
export interface AppliedOrder<S extends KubeObject = KubeObject> {
  /** The objects of other kinds that the order depends on. */
  readonly needs: readonly Need[];
  compare(a: S, b: S, related: RelatedObjects): number;
}

/** A write that rules are asked about: the object as it would be, and what is there. */
export interface Write<T extends KubeObject = KubeObject> {
  readonly kind: Kind;
  readonly object: T;
  /** The stored object that it replaces; absent when it is created. */
  readonly stored?: T;
  /** All objects of the kinds in `needs`, in the form that people see. */
  readonly related: (kind: Kind) => readonly KubeObject[];
}

/** What a kind has besides the rules that its table of fields gives. T is the form in which people see objects. */
export interface Rules<T extends KubeObject = KubeObject> {
  /** Rules between fields, without other objects; some differ by where the cluster keeps its objects. */
  problems?(object: T, calicoApi: CalicoApi): readonly RuleProblem[];
  /** A copy with what Calico's client fills in before it writes an object. */
  defaulted?(object: T): T;
  /** Rules for a write, checked before all others. */
  writeProblems?(write: Write<T>): readonly RuleProblem[];
  /** Rules for a write, checked after all others. */
  lastProblems?(write: Write<T>): readonly RuleProblem[];
  /** The kinds whose objects `writeProblems` needs; `own` is the kind of the object. */
  needs?(own: Kind, write: Pick<Write<T>, 'object' | 'stored'>): readonly Kind[];
}

/** One kind. T is the stored form that a Datastore hands out for it, S the form in which people see it. */
export interface Kind<T extends KubeObject = KubeObject, S extends KubeObject = T> {
  /** CamelCase, as in manifests: `IPPool`. */
  readonly kind: string;
  /** One sentence: what an object of this kind is. */
  readonly about: string;
  /** Lower-case names accepted on the command line, the plural of the API among them; none for kinds that cannot be named there. */
  readonly aliases: readonly string[];
  readonly namespaced: boolean;
  /** API group (empty for core), version and plural under which the API server holds it. */
  readonly api: { readonly group: string; readonly version: string; readonly plural: string };
  /** Fields of the stored form. Objects may have others, which are kept. */
  readonly fields: ObjectFields;
  /** Fields of the form that people see, where it differs. */
  readonly shownFields?: ObjectFields;
  /** Present when more than apiVersion and metadata differ where the kind is kept in `projectcalico.org/v3`. */
  readonly native?: NativeForm;
  /** Present when the kind has a `projectcalico.org/v3` form, in which people see it. */
  readonly codec?: Codec<T, S>;
  /** Present when the stored name may differ from the one that people see. */
  readonly naming?: Naming;
  /** False for a kind with a v3 form that calicoctl 3.31 does not have. */
  readonly inCalicoctl?: false;
  /** Rules for its objects besides those that the tables of fields give. */
  readonly rules?: Rules<S>;
  /** Writes that are refused; the first that fits says why. */
  readonly refusals?: readonly Refusal[];
  /** Order in which Calico applies the objects, where that is not the order of lists: people see them so. */
  readonly applied?: AppliedOrder<S>;
  /** Order of lists, where it is not that of the datastore. Objects that compare equal stay in its order. */
  compare?(a: S, b: S): number;
  /** Present when a Kubernetes datastore derives these objects from others. Folders and etcd can store them too. */
  readonly derived?: Derivation<T>;
  /** A copy in which current fields replace those of older versions. */
  upgraded?(object: T): T;
  /** True for a kind that older versions of Calico do not install: their clusters have no such objects. */
  readonly isRecent?: true;
  /** False for kinds whose objects have no meaning in a snapshot of the cluster. */
  readonly inSnapshots?: false;
  /** Names in Calico's Go code, by path, of the fields that do not follow the rule of go-names.ts. */
  readonly goNames?: Readonly<Record<string, string>>;
  readonly columns: {
    readonly default: readonly Column<S>[];
    readonly wide: readonly Column<S>[];
    /** Columns that only custom-columns can name. */
    readonly extra?: readonly Column<S>[];
  };
}

/** True for the kinds that Calico stores itself, in the API that a datastore names as its `calicoApi`. */
export function isCalicoKind({ api }: Kind): boolean {
  return api.group === customResourceGroup;
}

const nativeKind = perKind((kind): Kind => {
  const { kind: name = kind.kind, plural = kind.api.plural } = kind.native ?? {};
  return { ...kind, kind: name, api: { group: 'projectcalico.org', version: 'v3', plural } };
});

/** The kind with the name, group and plural under which a datastore with this API keeps its objects. */
export function storedIn<T extends KubeObject>(kind: Kind<T>, calicoApi: CalicoApi): Kind<T> {
  return calicoApi === v3ApiVersion && isCalicoKind(kind) ? (nativeKind(kind) as unknown as Kind<T>) : kind;
}

/** `crd.projectcalico.org/v1`, or `v1` for core kinds: the apiVersion of stored objects of the kind. */
export function storedApiVersion({ api: { group, version } }: Kind): string {
  return group === '' ? version : `${group}/${version}`;
}

/** True when the kind can be named on the command line. */
export function isOnCommandLine({ aliases }: Kind): boolean {
  return aliases.length > 0;
}

/** True when calicoctl 3.31 has the kind. */
export function isInCalicoctl({ codec, inCalicoctl }: Kind): boolean {
  return codec !== undefined && inCalicoctl !== false;
}

/** The fields of the form in which people see objects of the kind. */
export function shownFields({ fields, shownFields: shown = fields }: Kind): ObjectFields {
  return shown;
}

/** Makes a function that computes its result once for each kind. */
export function perKind<V>(make: (kind: Kind) => V): (kind: Kind) => V {
  const made = new WeakMap<Kind, V>();
  return (kind) => {
    if (!made.has(kind)) made.set(kind, make(kind));
    return made.get(kind) as V;
  };
}
