// Waits for a condition, not for a time.

/**
 * Resolves when the condition holds. Errors: after `forMs` milliseconds, with what was waited for; a function says it as
 * it is by then.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string | (() => string | Promise<string>),
  forMs = 20_000,
): Promise<void> {
  const end = Date.now() + forMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${typeof what === 'string' ? what : await what()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
