// The last line of a test run, for people and programs: `N passed, N failed, N skipped`.
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** A test of a skipped suite never gets a result of its own. */
function isSkipped(test: TestCase): boolean {
  for (let at: TestCase['parent'] | TestCase = test; at.type !== 'module'; at = at.parent) {
    if (at.options.mode === 'skip' || at.options.mode === 'todo') return true;
  }
  return false;
}

export class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tally = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      // A file that cannot be loaded, or a hook that fails, is a failure of its own.
      tally.failed += module.errors().length;
      for (const suite of module.children.allSuites()) tally.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'pending') tally[isSkipped(test) ? 'skipped' : 'failed']++;
        else tally[state]++;
      }
    }
    process.stdout.write(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped\n`);
  }
}
