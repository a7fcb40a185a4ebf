// What a read of objects found, ready to be shown as a table or as documents. Types only.
import type { ObjectPage } from '../../resource-client/object-reader.ts';
import type { Kind, RelatedObjects } from '../../resources/kind.ts';
import type { KubeObject } from '../../resources/object.ts';

/** The result of one query: an object that was named, or a list. */
export type Found =
  | {
      readonly type: 'object';
      readonly kind: Kind;
      readonly object: KubeObject;
    }
  | {
      readonly type: 'list';
      readonly kind: Kind;
      readonly pages: AsyncIterable<ObjectPage>;
    };

export interface QueryResult {
  readonly found: readonly Found[];
  /** True when tables begin with the namespace. */
  readonly withNamespace: boolean;
  /** Headings of custom columns. */
  readonly headings: readonly string[];
  /** Objects of other kinds that the columns need. */
  readonly related: RelatedObjects;
  /** One for each name that was not found. */
  readonly errors: readonly Error[];
}
