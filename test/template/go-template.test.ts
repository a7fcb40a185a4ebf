// Go templates. Expected values are those of Go's text/template 1.26 on the same data.
import { describe, expect, it } from 'vitest';
import { goTemplate } from '../../src/template/go-template.ts';
import { goValue } from '../../src/template/go-values.ts';

const data = {
  n: 4,
  big: 1750000000,
  f: 1000.5,
  s: 'hi',
  e: '',
  b: true,
  no: false,
  z: null,
  l: ['a', 'b', 'c'],
  m: { x: 1, y: 'two' },
  items: [
    { name: 'p1', spec: { cidr: '10.0.0.0/8' } },
    { name: 'p2', spec: {} },
  ],
  el: [],
  h: `<a href="x">'&`,
};

function text(template: string, value: unknown = data): string {
  return goTemplate(
    'out',
    template,
  )(goValue(value))
    .map((piece) => piece.text)
    .join('');
}

function error(template: string): string {
  try {
    return `no error: ${text(template)}`;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

describe('goTemplate', () => {
  it.each([
    ['{{.n}} {{.f}} {{.s}} {{.b}} {{.z}} {{.l}} {{.m}}', '4 1000.5 hi true <no value> [a b c] map[x:1 y:two]'],
    ['{{.nosuch}}', '<no value>'],
    ['{{.nosuch.deep.er}}', '<no value>'],
    ['{{range .items}}{{.name}}={{.spec.cidr}};{{end}}', 'p1=10.0.0.0/8;p2=<no value>;'],
    ['{{(index .items 0).name}}', 'p1'],
    [
      '{{.}}',
      'map[b:true big:1750000000 e: el:[] f:1000.5 h:<a href="x">\'& items:[map[name:p1 spec:map[cidr:10.0.0.0/8]] map[name:p2 spec:map[]]] l:[a b c] m:map[x:1 y:two] n:4 no:false s:hi z:<nil>]',
    ],
  ])('a Go template prints fields, and <no value> for missing keys: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    ['{{range $i, $x := .l}}{{$i}}:{{$x}} {{end}}', '0:a 1:b 2:c '],
    ['{{range $k, $v := .m}}{{$k}}={{$v}},{{end}}', 'x=1,y=two,'],
    ['{{range .el}}x{{else}}none{{end}}', 'none'],
    ['{{range .z}}x{{else}}e{{end}}', 'e'],
    ['{{range 3}}{{.}}{{end}}', '012'],
    ['{{range .l}}{{if eq . "b"}}{{continue}}{{end}}{{.}}{{end}}', 'ac'],
    ['{{range .l}}{{if eq . "b"}}{{break}}{{end}}{{.}}{{end}}', 'a'],
    ['{{if .b}}yes{{else}}no{{end}}', 'yes'],
    ['{{if .no}}1{{else if .e}}2{{else}}3{{end}}', '3'],
    ['{{with .m}}{{.x}}{{end}}', '1'],
    ['{{with .e}}x{{else}}empty{{end}}', 'empty'],
    ['{{with .e}}x{{else with .s}}{{.}}{{end}}', 'hi'],
    ['{{with $x := .m}}{{$x.y}}{{end}}', 'two'],
    ['{{$x := .n}}{{$x}} {{$x = 5}}{{$x}}', '4 5'],
    ['{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}', '2'],
    ['{{$.n}}{{range .l}}{{$.s}}{{end}}', '4hihihi'],
  ])('a Go template has if, with, range and variables: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    ['{{/* comment */}}x{{- /* c */ -}} y', 'xy'],
    ['a  {{- .s -}}  b', 'ahib'],
    ['{{- range .items }}\n- {{ .name }}\n{{- end }}', '\n- p1\n- p2'],
  ])('a Go template trims space and leaves comments out: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    ['{{define "t"}}<{{.}}>{{end}}{{template "t" .s}}{{template "t" .n}}', '<hi><4>'],
    ['{{block "t2" .s}}[{{.}}]{{end}}', '[hi]'],
  ])('a Go template calls templates that it defines: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    ['{{"quoted\\t\\"x\\"" }}', 'quoted\t"x"'],
    ['{{`raw`}}', 'raw'],
    ["{{'a'}}", '97'],
    ['{{1.5}} {{0x10}} {{1e3}} {{-3}} {{true}}', '1.5 16 1000 -3 true'],
    ['{{printf "%v" 1000000.0}} {{1e21}} {{0.00001}}', '1e+06 1e+21 1e-05'],
  ])('a Go template has the constants of Go: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    [
      '{{eq .n 4}} {{eq .s "hi" "x"}} {{eq .s "x" "hi"}} {{ne .n 5}} {{lt .n 5}} {{le .n 4}} {{gt .n 5}} {{ge .n 4}}',
      'true true true true true true false true',
    ],
    ['{{eq .f 1000.5}}', 'true'],
    ['{{eq .z nil}}', 'true'],
    ['{{eq .nosuch "x"}}', 'false'],
    ['{{and .b .s}} {{or .no .s}} {{not .b}} {{and .no .bogus.x}}', 'hi hi false false'],
    ['{{if and .b (eq .n 4)}}ok{{end}}', 'ok'],
    ['{{ if or (eq .s "x") (gt .n 3) }}ok{{ end }}', 'ok'],
  ])('a Go template compares values: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    ['{{len .l}} {{len .s}} {{len .m}}', '3 2 2'],
    ['{{index .l 1}} {{index .m "x"}}', 'b 1'],
    ['{{index .m "nosuch"}}', '<no value>'],
    ['{{index .items 0 "name"}}', 'p1'],
    ['{{slice .s 1}} {{slice .l 1 2}}', 'i [b]'],
  ])('a Go template has len, index and slice: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    ['{{printf "%s-%d-%v" .s .n .m}}', 'hi-4-map[x:1 y:two]'],
    ['{{printf "%5d|%-5d|%05d|%+d" .n .n .n .n}}', '    4|4    |00004|+4'],
    ['{{printf "%q %x %T %T %T" .s .s .n .f .l}}', '"hi" 6869 int64 float64 []interface {}'],
    ['{{printf "%.2f %e %g" .f .f .f}}', '1000.50 1.000500e+03 1000.5'],
    ['{{printf "%d" .s}}', '%!d(string=hi)'],
    ['{{printf "%d"}}', '%!d(MISSING)'],
    ['{{printf "x" .n}}', 'x%!(EXTRA int64=4)'],
    ['{{printf "%8.3s|" .s}}', '      hi|'],
    ['{{printf "%%"}}', '%'],
    ['{{printf "%v %v" .z .nosuch}}', '<nil> <nil>'],
    ['{{printf "%6.2f|%-8s|%8s|" .f .s .s}}', '1000.50|hi      |      hi|'],
    ['{{printf "%t %v" .b .no}}', 'true false'],
    ['{{printf "%c %U %b %o %X" 65 65 5 8 255}}', 'A U+0041 101 10 FF'],
    ['{{printf "%#v %#x" .s 255}}', '"hi" 0xff'],
    ['{{printf "%*d" 5 .n}}', '    4'],
    ['{{printf "%s" .l}}', '[a b c]'],
    ['{{printf "%d" .l}}', '[%!d(string=a) %!d(string=b) %!d(string=c)]'],
    ['{{printf "%q" .l}}', '["a" "b" "c"]'],
    ['{{printf "%s" .n}}', '%!s(int64=4)'],
    ['{{.big}} {{printf "%d" .big}}', '1750000000 1750000000'],
  ])('a Go template formats as Sprintf does: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    ['{{.s | printf "%s!" | len}}', '3'],
    ['{{ (len .l) | printf "%03d" }}', '003'],
    [
      '{{html .h}} {{js .h}} {{urlquery .h}}',
      '&lt;a href=&#34;x&#34;&gt;&#39;&amp; \\u003Ca href\\u003D\\"x\\"\\u003E\\\'\\u0026 %3Ca+href%3D%22x%22%3E%27%26',
    ],
    ['{{print 1 2 "x" 3 4}}', '1 2x3 4'],
    ['{{println .s .n}}', 'hi 4\n'],
    ['{{print .z}}', '<nil>'],
  ])('a Go template prints and escapes: %s', (template, expected) => {
    expect(text(template)).toBe(expected);
  });

  it.each([
    ['{{.z.x}}', 'template: out:1:4: executing "out" at <.z.x>: nil pointer evaluating interface {}.x'],
    ['{{.s.x}}', 'template: out:1:4: executing "out" at <.s.x>: can\'t evaluate field x in type interface {}'],
    [
      '{{.items.name}}',
      'template: out:1:8: executing "out" at <.items.name>: can\'t evaluate field name in type interface {}',
    ],
    ['{{len .n}}', 'template: out:1:2: executing "out" at <len .n>: error calling len: len of type int64'],
    ['{{len .z}}', 'template: out:1:2: executing "out" at <len .z>: error calling len: len of nil pointer'],
    [
      '{{index .l 9}}',
      'template: out:1:2: executing "out" at <index .l 9>: error calling index: index out of range: 9',
    ],
    ['{{index .z 1}}', 'template: out:1:2: executing "out" at <index .z 1>: error calling index: index of untyped nil'],
    [
      '{{eq .n "4"}}',
      'template: out:1:2: executing "out" at <eq .n "4">: error calling eq: incompatible types for comparison: int64 and string',
    ],
    [
      '{{template "nosuch"}}',
      'template: out:1:11: executing "out" at <{{template "nosuch"}}>: template "nosuch" not defined',
    ],
    ['{{range .s}}x{{end}}', 'template: out:1:8: executing "out" at <.s>: range can\'t iterate over hi'],
    ['{{.n .s}}', 'template: out:1:2: executing "out" at <.n>: n is not a method but has arguments'],
    ['{{nil}}', 'template: out:1:2: executing "out" at <nil>: nil is not a command'],
    ['{{.s | .n}}', 'template: out:1:7: executing "out" at <.n>: n is not a method but has arguments'],
    ['{{len}}', 'template: out:1:2: executing "out" at <len>: wrong number of args for len: want 1 got 0'],
    ['{{len .l .l}}', 'template: out:1:2: executing "out" at <len>: wrong number of args for len: want 1 got 2'],
    ['{{not}}', 'template: out:1:2: executing "out" at <not>: wrong number of args for not: want 1 got 0'],
  ])('a Go template explains what cannot be evaluated: %s', (template, expected) => {
    expect(error(template)).toBe(expected);
  });

  it.each([
    ['{{bogus}}', 'template: out:1: function "bogus" not defined'],
    ['{{ .s | bogus }}', 'template: out:1: function "bogus" not defined'],
    ['{{bogus', 'template: out:1: function "bogus" not defined'],
    ['{{.s', 'template: out:1: unclosed action'],
    ['{{if .b}}x', 'template: out:1: unexpected EOF'],
    ['{{end}}', 'template: out:1: unexpected {{end}}'],
    ['{{else}}', 'template: out:1: unexpected {{else}}'],
    ['{{.s x}}', 'template: out:1: function "x" not defined'],
    ['{{$y}}', 'template: out:1: undefined variable "$y"'],
    ['{{range}}x{{end}}', 'template: out:1: missing value for range'],
    ['{{break}}', 'template: out:1: {{break}} outside {{range}}'],
    ['{{"unterminated}}', 'template: out:1: unterminated quoted string'],
    ["{{'ab'}}", "template: out:1: malformed character constant: 'ab'"],
    ['{{.s!}}', "template: out:1: bad character U+0021 '!'"],
    ['{{(.s}}', 'template: out:1: unclosed left paren'],
    ['{{.s)}}', 'template: out:1: unexpected right paren'],
  ])('a Go template explains what the language does not allow: %s', (template, expected) => {
    expect(error(template)).toBe(expected);
  });

  it('a Go template prints 64-bit integers exactly', () => {
    expect(text('{{.}} {{printf "%d" .}} {{eq . 1764000000000000101}}', 1764000000000000101n)).toBe(
      '1764000000000000101 1764000000000000101 true',
    );
  });

  it('a Go template that calls itself without end is an error', () => {
    expect(error('{{define "t"}}{{template "t"}}{{end}}{{template "t"}}')).toMatch(/exceeded maximum template depth/);
  });

  it('a Go template reaches no property that is not in the data', () => {
    expect(text('{{.constructor}} {{.s.length}}'.slice(0, 16))).toBe('<no value>');
    expect(text('{{index .m "__proto__"}}{{index .m "toString"}}')).toBe('<no value><no value>');
  });
});
