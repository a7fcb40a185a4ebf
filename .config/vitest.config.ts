import { defineConfig } from 'vitest/config';
import { TallyReporter } from './tally-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    globalSetup: ['test/support/program/global-setup.ts'],
    // Suites over a real kube-apiserver share one machine with it: two workers are what two cores carry.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
    reporters: ['default', new TallyReporter()],
  },
});
