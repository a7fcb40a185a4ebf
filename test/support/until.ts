// Waits for a condition, not for a time.

/** Resolves when the condition holds. Errors: after `forMs` milliseconds, with what was waited for. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, forMs = 20_000): Promise<void> {
  const end = Date.now() + forMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
