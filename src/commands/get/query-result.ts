// What a read of objects found, ready to be shown as a table or as documents. Types only.
import type { WatchBatch } from '../../datastore/datastore.ts';
import type { ObjectPage } from '../../resource-client/object-reader.ts';
import type { Column, Kind, RelatedObjects } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';
import type { TemplateOf } from './templates.ts';

export interface FoundObject {
  readonly type: 'object';
  readonly kind: Kind;
  readonly object: KubeObject;
}

export interface FoundList {
  readonly type: 'list';
  readonly kind: Kind;
  readonly pages: AsyncIterable<ObjectPage>;
}

/** The result of one query: an object that was named, or a list. */
export type Found = FoundObject | FoundList;

/** How tables are shown, besides their format. */
export interface TableOptions {
  /** True when tables begin with the namespace. */
  readonly withNamespace: boolean;
  /** calicoctl's custom columns, by their headings. */
  readonly headings: readonly string[];
  /** kubectl's custom columns. */
  readonly columns: readonly Column[];
  /** Columns of labels, after the others. */
  readonly labelColumns: readonly Column[];
  readonly withoutHeadings: boolean;
  /** Several kinds: names are KIND/NAME, and tables without rows are left out. */
  readonly isMixed: boolean;
}

export interface QueryResult {
  readonly found: readonly Found[];
  readonly table: TableOptions;
  /** For templates. */
  readonly template?: TemplateOf | undefined;
  /** The objects of other kinds that the columns of a kind need. Errors: those of reading them. */
  related(kind: Kind): Promise<RelatedObjects>;
  /** One for each name that was not found, and for each of several kinds that could not be read. */
  readonly errors: readonly Error[];
}

/** The objects of one kind, and their changes as they happen. */
export interface Watched {
  readonly kind: Kind;
  readonly batches: AsyncIterable<WatchBatch>;
  /** Each change is shown with what happened: ADDED, MODIFIED or DELETED. */
  readonly withEvents: boolean;
}

export interface WatchResult extends QueryResult {
  readonly watched: Watched;
}
