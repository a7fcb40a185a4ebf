// Messages of OpenSSH 9.2 about failures; the cases that a real server can produce are in ssh-command.test.ts.
import { describe, expect, it } from 'vitest';
import { failureFromMessages } from '../../../src/node-exec/ssh/openssh-messages.ts';

describe('failureFromMessages', () => {
  it.each([
    ['ssh: Could not resolve hostname node-a: Name or service not known\n', 'unreachable'],
    ['ssh: connect to host 10.0.0.1 port 22: Connection timed out\r\n', 'unreachable'],
    ['ssh: connect to host 10.0.0.1 port 22: No route to host\r\n', 'unreachable'],
    [
      'kex_exchange_identification: read: Connection reset by peer\r\nConnection reset by 10.0.0.1 port 22\r\n',
      'unreachable',
    ],
    [
      'No ED25519 host key is known for 10.0.0.1 and you have requested strict checking.\r\nHost key verification failed.\r\n',
      'host-key',
    ],
    [
      '@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n…\r\nHost key verification failed.\r\n',
      'host-key',
    ],
    [
      'Unable to negotiate with 10.0.0.1 port 22: no matching host key type found. Their offer: ssh-dss\r\n',
      'host-key',
    ],
    ['banner of the host\nroot@10.0.0.1: Permission denied (publickey,password).\r\n', 'unauthorized'],
    [
      'Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures\r\nDisconnected from 10.0.0.1 port 22\r\n',
      'unauthorized',
    ],
    ['what the command said\nConnection to 10.0.0.1 closed by remote host.\r\n', 'broken'],
    ['client_loop: send disconnect: Broken pipe\r\n', 'broken'],
    ['Timeout, server 10.0.0.1 not responding.\r\n', 'broken'],
    ['', 'unreachable'],
  ])('reads %j as %s', (messages, reason) => {
    expect(failureFromMessages(messages, '10.0.0.1').reason).toBe(reason);
  });

  it('passes on the last line without control characters', () => {
    expect(failureFromMessages('first\nssh: \u001b[31mno\u0007 luck\r\n', '10.0.0.1').message).toBe(
      '10.0.0.1: ssh: [31mno luck',
    );
    expect(failureFromMessages(' \n', '10.0.0.1').message).toBe('10.0.0.1: ssh printed no message');
  });
});
