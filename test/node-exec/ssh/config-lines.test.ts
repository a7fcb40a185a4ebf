// How a line of ssh_config is split, as OpenSSH splits it; host-config.test.ts compares the result with the real ssh.
import { describe, expect, it } from 'vitest';
import { parseConfigLine } from '../../../src/node-exec/ssh/config-lines.ts';

describe('parseConfigLine', () => {
  it.each([
    ['User root', 'user', ['root']],
    ['  HOSTNAME=real', 'hostname', ['real']],
    ['Port = 22 ', 'port', ['22']],
    ['\tUser\troot\r', 'user', ['root']],
    ['Host a  b\t!c', 'host', ['a', 'b', '!c']],
    ['Host a # web servers', 'host', ['a']],
    ['User a#b', 'user', ['a#b']],
    ['IdentityFile "/a b/key"', 'identityfile', ['/a b/key']],
    ["IdentityFile '/a b/key'", 'identityfile', ['/a b/key']],
    ['IdentityFile /a\\ b/key', 'identityfile', ['/a b/key']],
    ['IdentityFile "/a\\ b"', 'identityfile', ['/a\\ b']],
    ['User DOMAIN\\\\ada', 'user', ['DOMAIN\\ada']],
    ['User DOMAIN\\ada', 'user', ['DOMAIN\\ada']],
    ['User "say \\"hi\\""', 'user', ['say "hi"']],
    ['UserKnownHostsFile "/one file" /two', 'userknownhostsfile', ['/one file', '/two']],
    ['Match host=a user b', 'match', ['host=a', 'user', 'b']],
    ['User ""', 'user', ['']],
  ])('splits %j', (line, keyword, args) => {
    expect(parseConfigLine(line)).toEqual({ keyword, args });
  });

  it.each(['', '   \t', '# User root', '  #User root', '\r'])('skips %j', (line) => {
    expect(parseConfigLine(line)).toBeUndefined();
  });

  it.each([
    ['User', 'no argument after keyword "User"'],
    ['Host   # none', 'no argument after keyword "Host"'],
    ['IdentityFile "never closed', 'invalid quotes'],
    ["IdentityFile it's", 'invalid quotes'],
  ])('rejects %j', (line, message) => {
    expect(() => parseConfigLine(line)).toThrow(message);
  });
});
