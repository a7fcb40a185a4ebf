// The last line of a test run, for people and programs: `N passed, N failed, N skipped`.
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tally = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      // A file that cannot be loaded, or a hook that fails, is a failure of its own.
      tally.failed += module.errors().length;
      for (const suite of module.children.allSuites()) tally.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        tally[state === 'pending' ? 'failed' : state]++;
      }
    }
    process.stdout.write(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped\n`);
  }
}
