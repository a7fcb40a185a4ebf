import fc from 'fast-check';
import { type PbfReader, PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { ProtobufListSplitter } from '../../../src/datastore/kube/protobuf-list.ts';
import { readPod } from '../../../src/datastore/kube/protobuf-objects.ts';

/** A message of the test's own: a text in field 1, next to it an unknown field. */
const readText = (reader: PbfReader, end: number): string =>
  reader.readFields(
    (field, read, pbf) => {
      if (field === 1) read.text = pbf.readString();
    },
    { text: '' },
    end,
  ).text;

/** The bytes as the API server frames a list: magic, Unknown{typeMeta, raw: list}. */
function framed(list: Uint8Array): Buffer {
  const unknown = new PbfWriter();
  unknown.writeMessage(1, (text, writer) => writer.writeStringField(2, text), 'PodList');
  unknown.writeBytesField(2, list);
  unknown.writeStringField(3, '');
  unknown.writeStringField(4, '');
  return Buffer.concat([Buffer.from('k8s\0'), unknown.finish()]);
}

function listOf(texts: readonly string[], token = ''): Buffer {
  const list = new PbfWriter();
  list.writeMessage(
    1,
    (_, writer) => {
      writer.writeStringField(1, '');
      writer.writeStringField(2, '77');
      if (token !== '') writer.writeStringField(3, token);
    },
    undefined,
  );
  for (const text of texts) {
    list.writeMessage(
      2,
      (value, writer) => {
        writer.writeVarintField(9, 300);
        writer.writeStringField(1, value);
      },
      text,
    );
  }
  return framed(list.finish());
}

function split<T>(bytes: Buffer, cuts: readonly number[], read: (reader: PbfReader, end: number) => T) {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const splitter = new ProtobufListSplitter(read);
  const items: T[] = [];
  let from = 0;
  for (const to of [...places, bytes.length]) {
    splitter.push(bytes.subarray(from, to), items);
    from = to;
  }
  return { items, end: splitter.end() };
}

describe('ProtobufListSplitter', () => {
  it('ProtobufListSplitter returns the same items however the bytes are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 300 }), { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 15 }),
        (texts, cuts) => {
          expect(split(listOf(texts, 'next'), cuts, readText)).toEqual({
            items: texts,
            end: { resourceVersion: '77', continueToken: 'next' },
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('ProtobufListSplitter accepts single bytes', () => {
    const bytes = listOf(['a', 'x'.repeat(200)]);
    expect(split(bytes, [...bytes.keys()], readText).items).toEqual(['a', 'x'.repeat(200)]);
  });

  it('ProtobufListSplitter refuses every truncated list', () => {
    const bytes = listOf(['one', 'two']);
    // The last two fields of the envelope are empty texts: without them the list is whole.
    for (let length = 0; length < bytes.length - 4; length++) {
      expect(() => split(bytes.subarray(0, length), [], readText), String(length)).toThrow(SyntaxError);
    }
  });

  it.each([
    ['JSON', Buffer.from('{"kind":"PodList","items":[]}')],
    ['another wire type', framed(new Uint8Array([0x08, 0x01]))],
    ['a field that no list has', framed(new Uint8Array([0x22, 0x00]))],
    ['an item that reaches beyond the list', framed(new Uint8Array([0x12, 0x05, 0x0a]))],
    ['a field that reaches beyond its item', framed(new Uint8Array([0x12, 0x02, 0x0a, 0x05, 0x12, 0x00]))],
    ['a length without an end', framed(new Uint8Array([0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]))],
  ])('ProtobufListSplitter refuses %s', (_, bytes) => {
    expect(() => split(bytes, [], readText)).toThrow(SyntaxError);
  });

  it('ProtobufListSplitter refuses a pod without a name', () => {
    expect(() => split(framed(new Uint8Array([0x12, 0x00])), [], readPod)).toThrow('a Pod without a name');
  });
});
