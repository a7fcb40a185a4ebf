// Waiting for work that may ignore a signal.

/**
 * Resolves with the result of the work; rejects with the signal's reason as soon as the signal is aborted, whatever the
 * work waits for. A result that comes later is passed to `late`.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal, late?: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(signal.reason);
      if (late !== undefined) work.then(late, () => undefined);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
