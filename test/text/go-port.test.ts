// Ports in the words of Calico's Go code.
import { describe, expect, it } from 'vitest';
import { goPortError } from '../../src/text/go-port.ts';

describe('goPortError', () => {
  it.each(['0', '80', '65535', '8000:8080', '80:80', 'http', 'a.b_c-D'])('takes %s', (text) => {
    expect(goPortError(text)).toBeUndefined();
  });

  it.each([
    ['65536', 'invalid port format (65536)'],
    ['70000:7', 'invalid minimum port number in range (70000:7)'],
    ['7:70000', 'invalid maximum port number in range (7:70000)'],
    ['9:1', 'minimum port number (9) is greater than maximum port number (1) in port range'],
    ['a b', 'invalid name for named port (a b)'],
    ['1:2:3', 'invalid name for named port (1:2:3)'],
    ['', 'invalid name for named port ()'],
  ])('says of %j: %s', (text, error) => {
    expect(goPortError(text)).toBe(error);
  });
});
