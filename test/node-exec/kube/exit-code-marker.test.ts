// The exit code said on stderr: taken out of the stream however its bytes are cut.
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
  const mark = new ExitCodeMarker(marker);
  const passed = Buffer.concat([...pieces(bytes, sizes).map((piece) => mark.pass(piece)), mark.rest()]);
  return { passed: passed.toString(), exit: mark.exit };
}

describe('ExitCodeMarker', () => {
  it('takes the mark out, wherever the stream is cut', () => {
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

  it('passes everything on when there is no mark', () => {
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

  it('holds back only what may become the mark', () => {
    const mark = new ExitCodeMarker(marker);
    expect(mark.pass(Buffer.from('listening on eth0\n')).toString()).toBe('listening on eth0\n');
    expect(mark.pass(Buffer.from('x001')).toString()).toBe('x');
    expect(mark.pass(Buffer.from('9')).toString()).toBe('0019');
  });

  it('passes on what comes behind the mark', () => {
    expect(read(Buffer.from(`a${marker} 3\nb`), [])).toEqual({ passed: 'ab', exit: 3 });
  });
});
