// `ip rule`: recordings read by hand, and plain text by hand (namespace.test.ts has the real one).
import { describe, expect, it } from 'vitest';
import { parseCidr } from '../../../src/net/cidr.ts';
import { parseRules } from '../../../src/node-state/iproute/rules.ts';
import { answerOf, problemOf, recording } from '../../support/recorded/recordings.ts';

const plain = { not: false, source: undefined, destination: undefined, inputDevice: undefined, mark: undefined };

describe('parseRules', () => {
  it('the initial rules of every kernel are read', () => {
    expect(answerOf(parseRules(recording('ip', 'node-a.rule4.json'), 4))).toEqual([
      { ...plain, priority: 0, table: 'local' },
      { ...plain, priority: 32766, table: 'main' },
      { ...plain, priority: 32767, table: 'default' },
    ]);
    expect(answerOf(parseRules(recording('ip', 'node-a.rule6.json'), 6)).map(({ table }) => table)).toEqual([
      'local',
      'main',
    ]);
  });

  it('the rule of WireGuard is read from JSON and from plain text', () => {
    const rule = { ...plain, priority: 99, not: true, mark: '0x200000/0x200000', table: '1' };
    expect(answerOf(parseRules(recording('ip', 'node-a.wireguard-emulated.rule4.json'), 4))[1]).toEqual(rule);
    expect(answerOf(parseRules('99:\tnot from all fwmark 0x200000/0x200000 lookup 1 \r\n', 4))).toEqual([rule]);
  });

  it('rule selectors of both families are read with and without a length', () => {
    expect(answerOf(parseRules('500:\tfrom 10.0.0.0/8 to 10.1.0.7 iif cali1 lookup 7\n', 4))).toEqual([
      {
        ...plain,
        priority: 500,
        source: parseCidr('10.0.0.0/8'),
        destination: parseCidr('10.1.0.7/32'),
        inputDevice: 'cali1',
        table: '7',
      },
    ]);
    const json = '[{"priority":5,"src":"fd00::","srclen":48,"dst":"fd00::1","table":"main"}]';
    expect(answerOf(parseRules(json, 6))).toMatchObject([
      { source: parseCidr('fd00::/48'), destination: parseCidr('fd00::1/128') },
    ]);
  });

  it('a rule that leads to no table has none', () => {
    expect(answerOf(parseRules('600:\tfrom all fwmark 0x5 blackhole\n', 4))).toEqual([
      { ...plain, priority: 600, mark: '0x5', table: undefined },
    ]);
  });

  it('a rule with a selector of the other family is skipped', () => {
    expect(parseRules('0:\tfrom all lookup local\n5:\tfrom fd00::/48 lookup 7\n', 4)).toMatchObject({
      ok: true,
      value: [{ priority: 0 }],
      skipped: ['5:\tfrom fd00::/48 lookup 7'],
    });
  });

  it('a rule with an unsupported condition is read and listed as skipped', () => {
    expect(parseRules('700:\tfrom all ipproto tcp dport 80 lookup 9\n', 4)).toEqual({
      ok: true,
      value: [{ ...plain, priority: 700, table: '9' }],
      skipped: ['700:\tfrom all ipproto tcp dport 80 lookup 9'],
    });
  });

  it.each([
    ['RTNETLINK answers: Operation not supported\n', /^no rule found: RTNETLINK/],
    ['[{"src":"all"}]', /^no rule found: /],
    ['[{"priority":0,"src":"al', /^incomplete/],
  ])('rules that are not understood: %j', (text, problem) => {
    expect(problemOf(parseRules(text, 4))).toMatch(problem);
  });
});
