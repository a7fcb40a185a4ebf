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
  ])('%s', (text, secret) => {
    expect(text).toContain(secret);
    expect(redacted(text)).not.toContain(secret);
  });

  it.each([
    'IPPool pool-1 does not exist',
    'https://10.0.0.1:6443/apis: connection refused',
    'the token is not valid',
    'unexpected token } at 12',
    'basic facts: none',
  ])('leaves "%s" alone', (text) => {
    expect(redacted(text)).toBe(text);
  });

  it('keeps what tells where the secret was', () => {
    expect(redacted('https://admin:hunter2@host/x')).toBe('https://admin:***@host/x');
  });
});
