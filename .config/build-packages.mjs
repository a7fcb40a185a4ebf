// esbuild plugins for packages that cannot be bundled as they are, or load more than the program needs at its start.
// Reasons and upstream issues: docs/decisions/0014-patched-packages.md.
import { readFileSync } from 'node:fs';

/** client-node does not declare that it is free of side effects. With this only what is named is kept of its 967 files. */
const clientNodeWithoutSideEffects = {
  name: 'client-node',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /./ }, async (args) => {
      if (args.pluginData === 'resolving') return undefined;
      const fromInside = args.importer.includes('@kubernetes/client-node');
      if (!fromInside && !args.path.startsWith('@kubernetes/client-node')) return undefined;
      const { kind, importer, namespace, resolveDir } = args;
      const found = await resolve(args.path, { kind, importer, namespace, resolveDir, pluginData: 'resolving' });
      if (found.errors.length > 0 || found.external) return found.external ? found : undefined;
      return found.path.includes('@kubernetes/client-node') ? { path: found.path, sideEffects: false } : undefined;
    });
  },
};

/** What client-node loads at once and hardly any kubeconfig needs: loaded on first use instead. */
const lazyPackages = {
  'socks-proxy-agent': `export class SocksProxyAgent {
    constructor(...args) { const { SocksProxyAgent: Real } = require('socks-proxy-agent'); return new Real(...args); }
  }`,
  'jsonpath-plus': "export const JSONPath = (...args) => require('jsonpath-plus').JSONPath(...args);",
  // client-node 1.4.0 passes the issuer as a string, which openid-client 6 refuses.
  'openid-client': `
    export const discovery = async (issuer, ...args) => (await import('openid-client')).discovery(new URL(issuer), ...args);
    export const refreshTokenGrant = async (...args) => (await import('openid-client')).refreshTokenGrant(...args);`,
  // Only the generated API classes send requests with it, and those are not used.
  'node-fetch': `export default () => Promise.reject(new Error('not part of this program'));
    export class Headers { constructor(init) { return new globalThis.Headers(init); } }
    export class AbortError extends Error {}
    export class FetchError extends Error {}`,
};

const lazyInClientNode = {
  name: 'lazy-in-client-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(${Object.keys(lazyPackages).join('|')})$`) }, ({ path, importer, resolveDir }) =>
      importer.includes('@kubernetes/client-node/') ? { path, namespace: 'lazy', pluginData: resolveDir } : undefined,
    );
    onLoad({ filter: /./, namespace: 'lazy' }, ({ path, pluginData }) => ({
      contents: lazyPackages[path],
      resolveDir: pluginData,
    }));
  },
};

/** commander needs child_process only for commands that are programs of their own; loading it takes 3 ms. */
const lazyChildProcess = {
  name: 'lazy-child-process',
  setup({ onLoad }) {
    onLoad({ filter: /commander[/\\]lib[/\\]command\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const eager = "const childProcess = require('node:child_process');";
      if (!text.includes(eager)) throw new Error(`${path} does not load child_process as expected`);
      const lazy = "const childProcess = { get spawn() { return require('node:child_process').spawn; } };";
      return { contents: text.replace(eager, lazy), loader: 'js' };
    });
  },
};

/** ssh2 works without its compiled addons, fast enough, and users need no compiler. */
const ssh2WithoutCompiledParts = {
  name: 'ssh2-without-compiled-parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cpu-features$|\.node$/ }, ({ importer, path }) =>
      /[/\\]node_modules[/\\]ssh2[/\\]/.test(importer) ? { path, namespace: 'absent' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'absent' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not part of this program`)});`,
    }));
    // agent.js would look next to itself for its program for Windows' Pageant, which is not shipped; poly1305.js needs nothing.
    onLoad({ filter: /ssh2[/\\]lib[/\\](agent|protocol[/\\]crypto[/\\]poly1305)\.js$/ }, ({ path }) => ({
      contents: `const __dirname = '';\n${readFileSync(path, 'utf8')}`,
      loader: 'js',
    }));
  },
};

export const packagePlugins = [
  lazyInClientNode,
  clientNodeWithoutSideEffects,
  lazyChildProcess,
  ssh2WithoutCompiledParts,
];
