// Throw-away certificates, made with the openssl command.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CertificatePaths {
  readonly cert: string;
  readonly key: string;
}

const openssl = (...args: string[]): void => {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** A certificate that signs others (and, with `addresses`, a server that signs for itself). */
export function makeAuthority(folder: string, name: string, addresses?: string): CertificatePaths {
  const made = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  const names = addresses === undefined ? [] : ['-addext', `subjectAltName=${addresses}`];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    made.key,
    '-out',
    made.cert,
    '-subj',
    `/CN=${name}`,
    '-days',
    '2',
    ...names,
  );
  return made;
}

export interface CertificateRequest {
  readonly name: string;
  /** In openssl's format: `/O=system:masters/CN=admin`. */
  readonly subject: string;
  /** `IP:127.0.0.1,DNS:localhost`; a client needs none. */
  readonly addresses?: string;
  /** Days until it expires; negative if it has expired. */
  readonly days?: number;
}

export function makeCertificate(folder: string, by: CertificatePaths, request: CertificateRequest): CertificatePaths {
  const made = { cert: join(folder, `${request.name}.crt`), key: join(folder, `${request.name}.key`) };
  const csr = join(folder, `${request.name}.csr`);
  const extensions = join(folder, `${request.name}.ext`);
  const names = request.addresses === undefined ? [] : [`subjectAltName=${request.addresses}`];
  writeFileSync(extensions, ['extendedKeyUsage=serverAuth,clientAuth', ...names, ''].join('\n'));
  openssl('req', '-new', ...newKey, '-keyout', made.key, '-out', csr, '-subj', request.subject);
  const signed = ['-CA', by.cert, '-CAkey', by.key, '-CAcreateserial', '-extfile', extensions, '-out', made.cert];
  openssl('x509', '-req', '-in', csr, '-days', String(request.days ?? 2), ...signed);
  return made;
}

/** A key pair for service account tokens. */
export function makeRsaKey(folder: string, name: string): string {
  const path = join(folder, `${name}.key`);
  if (!existsSync(path)) openssl('genrsa', '-out', path, '2048');
  return path;
}
