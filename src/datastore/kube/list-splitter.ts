// Turns the bytes of a list response into objects: the interface of both formats.
export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continueToken: string | undefined;
}

export interface ListSplitter<T> {
  /** Takes the next bytes and adds the items that they complete. Errors: SyntaxError for anything but a list. */
  push(chunk: Buffer, items: T[]): void;
  /** Call it after the last bytes. Errors: SyntaxError when the list is incomplete. */
  end(): ListMetadata;
}
