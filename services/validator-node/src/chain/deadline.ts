import { ChainReadError } from './endpoints.ts';

/** The reading, or ChainReadError `deadline` as soon as the deadline comes. */
export function beforeDeadline<T>(reading: Promise<T>, deadline: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new ChainReadError('deadline', 'The time for observing is over.'));
    if (deadline.aborted) late();
    deadline.addEventListener('abort', late, { once: true });
    reading.then(resolve, reject).finally(() => deadline.removeEventListener('abort', late));
  });
}
