import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../src/policy/calico-policy.ts';
import { parsePort, portText, protocolName, protocolNumber } from '../../src/policy/protocol.ts';
import { ruleConditions } from '../../src/policy/rule-text.ts';
import type { RuleSpec } from '../../src/policy/specs.ts';

const inWords = (spec: RuleSpec): string => rulesOf([spec], 'shop').map(ruleConditions).join();

describe('rules in words', () => {
  it.each<[RuleSpec, string]>([
    [{ action: 'Allow' }, ''],
    [
      { action: 'Allow', protocol: 'TCP', destination: { ports: [80, '8000:8080', 'http'] } },
      'TCP to ports 80, 8000-8080, http',
    ],
    [{ action: 'Deny', source: { selector: "app == 'a'" } }, "from app == 'a', namespace shop"],
    [
      {
        action: 'Allow',
        source: { nets: ['10.0.0.0/8'], notNets: ['10.1.0.0/16'] },
        destination: { notSelector: "x == 'y'" },
      },
      "from 10.0.0.0/8; not 10.1.0.0/16 to namespace shop, not x == 'y'",
    ],
    [{ action: 'Allow', ipVersion: 4, protocol: 'ICMP', icmp: { type: 8 } }, 'IPv4 ICMP type 8'],
    [{ action: 'Allow', protocol: 'ICMPv6', notICMP: { type: 1, code: 2 } }, 'ICMPv6 not type 1 code 2'],
    [{ action: 'Allow', notProtocol: 47 }, 'not protocol 47'],
    [{ action: 'Allow', destination: { services: { name: 'db' } } }, 'to service shop/db'],
    [{ action: 'Allow', protocol: 'UDP', source: { notPorts: [53] } }, 'UDP from not ports 53'],
    [{ action: 'Allow', http: { methods: ['GET'] } }, 'and HTTP conditions'],
  ])('%j is described as "%s"', (spec, words) => {
    expect(inWords(spec)).toBe(words);
  });

  it('names protocols as Calico writes them', () => {
    expect([1, 6, 17, 58, 132, 136, 99].map(protocolName)).toEqual([
      'ICMP',
      'TCP',
      'UDP',
      'ICMPv6',
      'SCTP',
      'UDPLITE',
      'protocol 99',
    ]);
  });

  it('reads protocols by name in any case and by number', () => {
    expect(['TCP', 'tcp', 6, '17', 'ICMPv6', 'none', 256, ''].map(protocolNumber)).toEqual([
      6,
      6,
      6,
      17,
      58,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('reads ports, ranges and names, and nothing else', () => {
    const read = [80, '80', '1:65535', 'http', '0', 65536, '9:1', '1:', 'a b', ''].map((text) => {
      const port = parsePort(text);
      return port === undefined ? undefined : portText(port);
    });
    expect(read).toEqual(['80', '80', '1-65535', 'http', '0', undefined, undefined, undefined, undefined, undefined]);
  });
});
