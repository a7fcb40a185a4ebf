// Waiting for work that may not mind a signal.

/**
 * The answer of the work, or the reason of the signal as soon as it is aborted, whatever the work waits for. What the work
 * answers after that goes to `late`.
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
