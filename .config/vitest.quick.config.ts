// The quick run: pure modules and commands over folders. It builds nothing and starts no server and no node.
import { defineConfig } from 'vitest/config';
import everything from './vitest.config.ts';

const quick = [
  'architecture.test.ts',
  'bgp',
  'cli',
  'commands/*.test.ts',
  'commands/get',
  'commands/ipam',
  'datapath',
  'docs',
  'faults',
  'ipam',
  'ipam-check',
  'manifest',
  'net',
  'node-state',
  'output',
  'policy',
  'resources',
  'text',
];

// These need an API server, a network namespace or a browser, or take long.
const slow = [
  'commands/*-api-server.test.ts',
  'commands/bad-input.test.ts',
  'commands/ipam/{assign-api-server,check-api-server,check-churn,check-many}.test.ts',
  'commands/ipam/show/map-svg.test.ts',
  'docs/{examples,guides,readme}.test.ts',
  'docs/rbac.test.ts',
  'node-state/**/namespace.test.ts',
  'node-state/bird/real-bird.test.ts',
];

export default defineConfig({
  test: {
    ...everything.test,
    include: quick.map((path) => (path.endsWith('.ts') ? `test/${path}` : `test/${path}/**/*.test.ts`)),
    exclude: slow.map((path) => `test/${path}`),
    globalSetup: [],
  },
});
