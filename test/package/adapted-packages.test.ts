// The reasons why the build adapts packages (docs/decisions/0014-patched-packages.md) still exist in the installed
// versions. When one of these tests fails after an upgrade, the plugin in .config/build-packages.mjs may be removed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const installed = (path: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'node_modules', path), 'utf8');

describe('packages that the build adapts', () => {
  it('@kubernetes/client-node does not declare that it is free of side effects', () => {
    expect(JSON.parse(installed('@kubernetes/client-node/package.json'))).not.toHaveProperty('sideEffects');
  });

  it.each([
    ['socks-proxy-agent', 'config.js'],
    ['openid-client', 'oidc_auth.js'],
    ['jsonpath-plus', 'gcp_auth.js'],
    ['node-fetch', 'config.js'],
  ])('@kubernetes/client-node imports %s when it is loaded', (name, file) => {
    expect(installed(`@kubernetes/client-node/dist/${file}`)).toMatch(new RegExp(`^import .*'${name}'`, 'm'));
  });

  it('@kubernetes/client-node passes the OIDC issuer as a string', () => {
    expect(installed('@kubernetes/client-node/dist/oidc_auth.js')).toContain(
      "oidc.discovery(user.authProvider.config['idp-issuer-url'],",
    );
  });

  it('commander requires child_process when it is loaded', () => {
    expect(installed('commander/lib/command.js')).toMatch(/^const childProcess = require\('node:child_process'\);$/m);
  });

  it('ssh2 requires compiled addons, and looks for files next to itself', () => {
    expect(installed('ssh2/lib/protocol/constants.js')).toContain("require('cpu-features')");
    expect(installed('ssh2/lib/protocol/crypto.js')).toContain('sshcrypto.node');
    for (const file of ['agent.js', 'protocol/crypto/poly1305.js']) {
      expect(installed(`ssh2/lib/${file}`), file).toContain('__dirname');
    }
  });
});

describe('install scripts of packages', () => {
  it('package.json denies each install script, so that npm ci compiles nothing and does not warn', () => {
    const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', name), 'utf8'));
    const { packages } = read('package-lock.json') as {
      packages: Record<string, { hasInstallScript?: boolean; os?: string[] }>;
    };
    // npm does not ask about packages for other systems.
    const withScript = Object.entries(packages).flatMap(([path, { hasInstallScript, os }]) =>
      hasInstallScript && os === undefined ? [path.replace(/^.*node_modules\//, '')] : [],
    );
    expect(withScript).toContain('esbuild');
    expect(read('package.json').allowScripts).toEqual(Object.fromEntries(withScript.map((name) => [name, false])));
  });
});
