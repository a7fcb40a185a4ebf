// What turns the bytes of one list answer into objects, whatever the format.

export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continueToken: string | undefined;
}

export interface ListSplitter<T> {
  /** Takes the next bytes and adds the items that they complete. Errors: SyntaxError for bytes that are no list. */
  push(chunk: Buffer, items: T[]): void;
  /** Everything has come. Errors: SyntaxError when the list is not complete. */
  end(): ListMetadata;
}
