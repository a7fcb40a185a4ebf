// Secrets never reach stderr.
import { describe, expect, it } from 'vitest';
import { redacted } from '../../src/output/redact.ts';

describe('redacted', () => {
  it.each([
    ['Authorization: Bearer abcdef0123456789', 'abcdef0123456789'],
    ['Get "https://admin:hunter2@10.0.0.1:6443/api": refused', 'hunter2'],
    ['token: eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJl.c2lnbmF0dXJl rejected', 'c2lnbmF0dXJl'],
    ['{"token":"s3cr3t-value"}', 's3cr3t-value'],
    ['password=correcthorse&x=1', 'correcthorse'],
    ['client-key-data: LS0tLS1CRUdJTg==', 'LS0tLS1CRUdJTg'],
    ['bad key -----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\nx\n-----END EC PRIVATE KEY----- in file', 'MHcCAQEE'],
    ['cut off -----BEGIN PRIVATE KEY-----\nMIIEvQ', 'MIIEvQ'],
    ['    AWS_SECRET_ACCESS_KEY:  wJalrXUtnFEMI/K7MDENG', 'wJalrXUtnFEMI'],
    ['      DB_PASSWORD:     pw', 'pw'],
    ['      DB_PASS:  pw', 'pw'],
    ['run --db-password=pw --x', 'pw'],
    ['    Args:\n      --token\n      abc\n      --port\n      1', 'abc'],
  ])('redacted removes the secret from: %s', (text, secret) => {
    expect(text).toContain(secret);
    expect(redacted(text)).not.toContain(secret);
  });

  it.each([
    'IPPool pool-1 does not exist',
    'https://10.0.0.1:6443/apis: connection refused',
    'the token is not valid',
    'unexpected token } at 12',
    'basic facts: none',
    'PASSWORD:  <set to the key "p" in secret "s">  Optional: false',
    'keys: ssh-key, public-key',
    '--ssh-ask-password cannot be used with --ssh-command',
    'SecretName:  node-certs',
    '      --token\n      --port',
  ])('redacted does not change "%s"', (text) => {
    expect(redacted(text)).toBe(text);
  });

  it.each(['a-', 'a.', 'eyJ-', ' \n', '-----BEGIN PRIVATE KEY-----', 'token ', 'a://b:'])(
    'redacted takes linear time over much of %j',
    (piece) => {
      const began = process.cpuUsage();
      redacted(piece.repeat(100_000));
      // Minutes, where each place is tried to the end.
      expect(process.cpuUsage(began).user / 1e6).toBeLessThan(20);
    },
  );

  it('redacted keeps what shows where the secret was', () => {
    expect(redacted('https://admin:hunter2@host/x')).toBe('https://admin:***@host/x');
  });
});
