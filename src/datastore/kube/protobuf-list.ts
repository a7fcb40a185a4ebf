// Splits the protobuf of a Kubernetes list into its items while the bytes arrive: magic, Unknown envelope, list, items.
// protobuf-objects.ts reads the items. Anything unexpected is a SyntaxError, after which the list is requested as JSON.
import { PbfReader } from 'pbf';
import type { ListMetadata, ListSplitter } from './list-splitter.ts';

/** "k8s" and a zero byte, at the start of every protobuf response of the API server. */
const magic = 0x6b387300;
const lengthDelimited = 2;
/** Fields of runtime.Unknown, and of every list. */
const rawField = 2;
const metadataField = 1;
const itemsField = 2;
/** Far more than an object in etcd can have. */
const largestFrame = 1 << 28;

export class ProtobufListSplitter<T> implements ListSplitter<T> {
  readonly #read: (reader: PbfReader, end: number) => T;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes that are needed before the next field can be complete. */
  #needed = 4;
  #started = false;
  /** Bytes of the list that are still to come; undefined outside of it. */
  #listLeft: number | undefined;
  #metadata: ListMetadata | undefined;

  constructor(read: (reader: PbfReader, end: number) => T) {
    this.#read = read;
  }

  push(chunk: Buffer, items: T[]): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const taken = this.#take(bytes, items);
    const rest = bytes.subarray(taken);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
  }

  end(): ListMetadata {
    if (this.#size > 0 || this.#listLeft !== undefined || this.#metadata === undefined) {
      throw new SyntaxError('the list ends in the middle');
    }
    return this.#metadata;
  }

  /** Takes as many whole fields as there are, and returns their length in bytes. */
  #take(bytes: Buffer, items: T[]): number {
    const reader = new PbfReader(bytes);
    if (!this.#started) {
      if (bytes.readUInt32BE(0) !== magic) throw new SyntaxError('not Kubernetes protobuf');
      this.#started = true;
      reader.pos = 4;
    }
    for (;;) {
      const start = reader.pos;
      const header = fieldHeader(bytes, start);
      if (header === undefined) {
        this.#needed = bytes.length - start + 1;
        return start;
      }
      const { field, length, from } = header;
      if (this.#listLeft === undefined && field === rawField) {
        this.#listLeft = length;
        reader.pos = from;
        this.#closeList();
        continue;
      }
      const end = from + length;
      if (end > bytes.length) {
        this.#needed = end - start;
        return start;
      }
      if (this.#listLeft !== undefined) {
        this.#listLeft -= end - start;
        reader.pos = from;
        this.#listField(field, reader, end, items);
        this.#closeList();
      }
      reader.pos = end;
    }
  }

  #closeList(): void {
    if (this.#listLeft === undefined || this.#listLeft > 0) return;
    if (this.#listLeft < 0) throw new SyntaxError('an item reaches beyond the list');
    this.#listLeft = undefined;
    this.#metadata ??= { resourceVersion: '', continueToken: undefined };
  }

  #listField(field: number, reader: PbfReader, end: number, items: T[]): void {
    if (field === itemsField) items.push(this.#read(reader, end));
    else if (field === metadataField) this.#metadata = listMetadata(reader, end);
    else throw new SyntaxError(`unknown field ${field} in a list`);
    if (reader.pos !== end) throw new SyntaxError('a field reaches beyond its message');
  }
}

/** Tag and length of the field at `start`, or undefined when they are incomplete. */
function fieldHeader(bytes: Buffer, start: number): { field: number; length: number; from: number } | undefined {
  const tag = varint(bytes, start);
  if (tag === undefined) return undefined;
  if ((tag.value & 7) !== lengthDelimited) throw new SyntaxError(`unknown wire type ${tag.value & 7} in a list`);
  const length = varint(bytes, tag.next);
  if (length === undefined) return undefined;
  if (length.value > largestFrame && tag.value >>> 3 !== rawField) throw new SyntaxError('an item is too large');
  return { field: tag.value >>> 3, length: length.value, from: length.next };
}

function varint(bytes: Buffer, start: number): { value: number; next: number } | undefined {
  let value = 0;
  let factor = 1;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return { value, next: at + 1 };
    factor *= 128;
    if (at - start >= 6) throw new SyntaxError('a length is too large');
  }
  return undefined;
}

/** meta/v1 ListMeta: resourceVersion 2, continue 3. */
function listMetadata(reader: PbfReader, end: number): ListMetadata {
  const read = { resourceVersion: '', token: '' };
  reader.readFields(
    (field, metadata, pbf) => {
      if (field === 2) metadata.resourceVersion = pbf.readString();
      else if (field === 3) metadata.token = pbf.readString();
    },
    read,
    end,
  );
  return { resourceVersion: read.resourceVersion, continueToken: read.token === '' ? undefined : read.token };
}
