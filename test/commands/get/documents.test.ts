// One object bare, several as an array, a query as a list; YAML keys sorted, JSON keys in Calico's order.
import { describe, expect, it } from 'vitest';
import { documentsOf } from '../../../src/commands/get/documents.ts';
import type { Found, QueryResult } from '../../../src/commands/get/query-result.ts';
import type { ObjectPage } from '../../../src/resource-client/object-reader.ts';
import { ipPool } from '../../../src/resources/kinds/ip-pool.ts';
import { ipamBlock } from '../../../src/resources/kinds/ipam-block.ts';
import type { KubeObject } from '../../../src/resources/object.ts';

const pool = (name: string): KubeObject => ({
  spec: { natOutgoing: true, cidr: '10.0.0.0/16', nodeSelector: 'zone in {"a"} && x < 3' },
  metadata: { uid: 'u', name, creationTimestamp: null },
  kind: 'IPPool',
  apiVersion: 'projectcalico.org/v3',
});
const selection = (...found: Found[]): QueryResult => ({
  found,
  table: {
    withNamespace: false,
    headings: [],
    columns: [],
    labelColumns: [],
    withoutHeadings: false,
    isMixed: false,
  },
  related: async () => ({ all: () => [], one: () => undefined }),
  errors: [],
});
const object = (name: string): Found => ({ type: 'object', kind: ipPool, object: pool(name) });
const list = (...pages: KubeObject[][]): Found => ({
  type: 'list',
  kind: ipPool,
  pages: (async function* (): AsyncIterable<ObjectPage> {
    for (const [index, page] of pages.entries()) yield { items: page, resourceVersion: String(2165 + index) };
  })(),
});
async function text(found: QueryResult, format: 'yaml' | 'json'): Promise<string> {
  const rendered = documentsOf(found, format);
  if (typeof rendered === 'string') return rendered;
  let all = '';
  for await (const piece of rendered) all += piece;
  return all;
}

describe('documentsOf', () => {
  it('documents print one object bare, with < and & escaped in JSON', async () => {
    expect(await text(selection(object('a')), 'json')).toBe(
      `{
  "kind": "IPPool",
  "apiVersion": "projectcalico.org/v3",
  "metadata": {
    "name": "a",
    "uid": "u",
    "creationTimestamp": null
  },
  "spec": {
    "cidr": "10.0.0.0/16",
    "natOutgoing": true,
    "nodeSelector": "zone in {\\"a\\"} \\u0026\\u0026 x \\u003c 3"
  }
}
`,
    );
  });

  it('documents sort the keys of YAML', async () => {
    expect((await text(selection(object('a')), 'yaml')).split('\n')[0]).toBe('apiVersion: projectcalico.org/v3');
  });

  it('documents print several objects as an array and none as null', async () => {
    const two = JSON.parse(await text(selection(object('a'), object('b')), 'json'));
    expect(two.map((item: KubeObject) => item.metadata.name)).toEqual(['a', 'b']);
    expect((await text(selection(object('a'), object('b')), 'yaml')).startsWith('- apiVersion')).toBe(true);
    expect(await text(selection(), 'json')).toBe('null\n');
    expect(await text(selection(), 'yaml')).toBe('null\n');
  });

  it('documents print a list over its pages with the revision of the first page', async () => {
    const json = await text(selection(list([pool('a')], [], [pool('b')])), 'json');
    expect(
      json.startsWith(
        '{\n  "kind": "IPPoolList",\n  "apiVersion": "projectcalico.org/v3",\n  "metadata": {\n    "resourceVersion": "2165"\n  },\n  "items": [\n    {\n      "kind": "IPPool",\n',
      ),
    ).toBe(true);
    const parsed = JSON.parse(json);
    expect(parsed.items.map((item: KubeObject) => item.metadata.name)).toEqual(['a', 'b']);
    expect(json).toBe(`${JSON.stringify(parsed, null, 2).replaceAll('&', '\\u0026').replaceAll('<', '\\u003c')}\n`);
  });

  it('documents print an empty list', async () => {
    expect(await text(selection(list([])), 'yaml')).toBe(
      'apiVersion: projectcalico.org/v3\nitems: []\nkind: IPPoolList\nmetadata:\n  resourceVersion: "2165"\n',
    );
    expect(JSON.parse(await text(selection(list([])), 'json'))).toEqual({
      kind: 'IPPoolList',
      apiVersion: 'projectcalico.org/v3',
      metadata: { resourceVersion: '2165' },
      items: [],
    });
  });

  it('documents print 64-bit integers exactly', async () => {
    const block: KubeObject = {
      apiVersion: 'crd.projectcalico.org/v1',
      kind: 'IPAMBlock',
      metadata: { name: 'b' },
      spec: { cidr: '10.0.0.0/30', sequenceNumber: 1764000000000000101n },
    };
    const found: Found = { type: 'object', kind: ipamBlock, object: block };
    expect(await text(selection(found), 'json')).toContain('"sequenceNumber": 1764000000000000101');
    expect(await text(selection(found), 'yaml')).toContain('sequenceNumber: 1764000000000000101\n');
  });
});
