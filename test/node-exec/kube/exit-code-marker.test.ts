// The exit code behind the marker on stderr: removed from the stream, however its bytes are split.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExitCodeMarker } from '../../../src/node-exec/kube/exit-code-marker.ts';

const marker = '00112233445566778899aabbccddeeff';

/** The bytes in pieces of these sizes, the rest in one. */
function pieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  let at = 0;
  return [...sizes, bytes.length].map((size) => {
    at += size;
    return bytes.subarray(at - size, at);
  });
}

function read(bytes: Buffer, sizes: readonly number[]): { passed: string; exit: number | undefined } {
  const filter = new ExitCodeMarker(marker);
  const passed = Buffer.concat([...pieces(bytes, sizes).map((piece) => filter.pass(piece)), filter.rest()]);
  return { passed: passed.toString(), exit: filter.exit };
}

describe('ExitCodeMarker', () => {
  it('removes the marker, wherever the stream is split', () => {
    // Pieces of the marker itself are the hardest neighbours.
    const text = fc.array(fc.constantFrom('a', '\n', '0', '00', '0011', marker.slice(0, 31), marker, ' 7'));
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 255 }), fc.array(fc.nat({ max: 40 })), (words, exit, sizes) => {
        const before = words.join('').replaceAll(`${marker} `, '');
        fc.pre(!`${before}${marker} `.slice(0, -1).includes(`${marker} `));
        const bytes = Buffer.from(`${before}${marker} ${exit}\n`);
        expect(read(bytes, sizes)).toEqual({ passed: before, exit });
      }),
    );
  });

  it('passes everything on when there is no marker', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '0', '0011', marker, '\n')),
        fc.array(fc.nat({ max: 40 })),
        (words, sizes) => {
          const text = words.join('');
          expect(read(Buffer.from(text), sizes)).toEqual({ passed: text, exit: undefined });
        },
      ),
    );
  });

  it('holds back only what may become the marker', () => {
    const filter = new ExitCodeMarker(marker);
    expect(filter.pass(Buffer.from('listening on eth0\n')).toString()).toBe('listening on eth0\n');
    expect(filter.pass(Buffer.from('x001')).toString()).toBe('x');
    expect(filter.pass(Buffer.from('9')).toString()).toBe('0019');
  });

  it('passes on what follows the marker', () => {
    expect(read(Buffer.from(`a${marker} 3\nb`), [])).toEqual({ passed: 'ab', exit: 3 });
  });
});
