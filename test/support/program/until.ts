// Waits for a condition instead of a fixed time.

/**
 * Resolves when the condition holds. Errors: after `forMs` milliseconds, with a description of the condition; a function
 * is called at that moment to describe it.
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
