// What a read of objects found, ready to be shown as a table or as documents. Types only.
import type { ColumnContext, Kind } from './kind.ts';
import type { KubeObject } from './object.ts';

/** An object in the form that tables read (`stored` for nodes) and in the form that people see. */
export interface ShownObject {
  readonly stored: KubeObject;
  readonly shown: KubeObject;
}

export interface ShownPage {
  readonly items: readonly ShownObject[];
  readonly resourceVersion: string;
}

/** Answer to one query: an object that was named, or a list. */
export type Found =
  | {
      readonly type: 'object';
      readonly kind: Kind;
      readonly object: ShownObject;
    }
  | {
      readonly type: 'list';
      readonly kind: Kind;
      readonly pages: AsyncIterable<ShownPage>;
    };

export interface Selection {
  readonly found: readonly Found[];
  /** True when tables begin with the namespace. */
  readonly withNamespace: boolean;
  /** Headings of custom columns. */
  readonly headings: readonly string[];
  /** What columns of these headings need beside the objects; read when a table is printed. */
  columnContext(headings: readonly string[]): Promise<ColumnContext>;
  /** One for each name that was not found. */
  readonly errors: readonly Error[];
}
