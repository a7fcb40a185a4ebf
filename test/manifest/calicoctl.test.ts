// Manifests as the two releases of calicoctl decode them: what each says of what it cannot read.
import { describe, expect, it } from 'vitest';
import { readAsCalicoctl } from '../../src/manifest/calicoctl/read-manifest.ts';

const pool = (spec: string): string =>
  `apiVersion: projectcalico.org/v3\nkind: IPPool\nmetadata: {name: a}\nspec:\n  cidr: 10.0.0.0/8\n${spec}`;

function said(text: string, release: '3.31' | '3.32'): string {
  try {
    return `${readAsCalicoctl(text, release).length} objects`;
  } catch (error) {
    return (error as Error).message;
  }
}

const parsing = 'failed to execute command: error parsing document: ';
const decoding = 'failed to execute command: error unmarshaling JSON: while decoding JSON: ';

describe('a manifest that calicoctl cannot decode', () => {
  it.each([
    [
      'an unknown field before one of a wrong type',
      pool('  bogus: 1\n  disabled: x\n'),
      `${parsing}cannot parse string 'x' into field IPPoolSpec.disabled of type bool`,
      'field in document is not recognized or is in the wrong location: bogus',
    ],
    [
      'a value of a wrong type, in a type with a name of its own',
      pool('  ipipMode: [x]\n'),
      `${parsing}cannot parse array '["x"]' into field IPPoolSpec.ipipMode of type v3.IPIPMode`,
      `${decoding}json: cannot unmarshal array into Go struct field IPPoolSpec.spec.ipipMode of type v3.IPIPMode`,
    ],
    [
      'two equal keys',
      pool('  cidr: 10.0.0.0/9\n'),
      '1 objects',
      'failed to execute command: error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "cidr" already set in map',
    ],
    [
      'a field that Calico 3.32 no longer has',
      pool('  nat-outgoing: true\n'),
      '1 objects',
      'field in document is not recognized or is in the wrong location: nat-outgoing',
    ],
    [
      'a text',
      'hello',
      `${parsing}cannot parse string 'hello' into value of type []unstructured.Unstructured`,
      `${decoding}json: cannot unmarshal string into Go value of type []unstructured.Unstructured`,
    ],
    ['a comment', '# nothing\n', '0 objects', 'failed to execute command: unknown resource type () and/or version ()'],
    [
      'an item of a list of objects with a number for a text',
      '- {apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: a}, spec: {cidr: 7}}',
      `${parsing}cannot parse number '7' into field IPPoolSpec.cidr of type string`,
      `${decoding}json: cannot unmarshal number into Go struct field IPPoolSpec.spec.cidr of type string`,
    ],
    [
      'a list in place of an object, after one with a field of a type with a name of its own',
      '{apiVersion: projectcalico.org/v3, kind: BGPFilter, metadata: {name: a}, spec: {importV6: [{source: x}, []]}}',
      `${parsing}cannot parse array '[]' into field BGPFilterRuleV6.source of type v3.BGPFilterRuleV6`,
      `${decoding}json: cannot unmarshal array into Go struct field BGPFilterSpec.spec.importV6 of type v3.BGPFilterRuleV6`,
    ],
    [
      'a text in place of an object, after one that ends with labels',
      '{apiVersion: projectcalico.org/v3, kind: KubeControllersConfiguration, metadata: {name: a}, spec: {controllers: ' +
        '{node: {hostEndpoint: {templates: [{labels: {a: b}}, x]}}}}}',
      `${parsing}cannot parse string 'x' into field Template.labels of type v3.Template`,
      `${decoding}json: cannot unmarshal string into Go struct field AutoHostEndpointConfig.spec.controllers.node.hostEndpoint.templates of type v3.Template`,
    ],
  ])('%s', (_, text, of331, of332) => {
    expect(said(text, '3.31')).toBe(of331);
    expect(said(text, '3.32')).toBe(of332);
  });
});
