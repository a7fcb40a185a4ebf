// What Go's JSON reader says about invalid text; each text was given to Calico's plugin 3.31.4 or to encoding/json.
import { describe, expect, it } from 'vitest';
import { goSyntaxProblem } from '../../../src/cni/protocol/go-json.ts';

const problems: readonly (readonly [text: string, problem: string])[] = [
  ['{nonsense', "invalid character 'n' looking for beginning of object key string"],
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{"a"', 'unexpected end of JSON input'],
  ['"a', 'unexpected end of JSON input'],
  ['10.244.0.1', "invalid character '.' after top-level value"],
  ['1.2.3.4', "invalid character '.' after top-level value"],
  ['second', "invalid character 's' looking for beginning of value"],
  ['IPv6', "invalid character 'I' looking for beginning of value"],
  ['["a" "b"]', "invalid character '\"' after array element"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['truth', "invalid character 't' in literal true (expecting 'e')"],
  ['nul', 'unexpected end of JSON input'],
  ["'a'", "invalid character '\\'' looking for beginning of value"],
];

describe('what Go says about text that is not JSON', () => {
  for (const [text, problem] of problems) {
    it(`${JSON.stringify(text)}: ${problem}`, () => {
      expect(goSyntaxProblem(text)).toBe(problem);
    });
  }
});
