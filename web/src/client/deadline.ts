/** Reads that take longer are given up: a connection that swallows requests must not leave a page of skeletons. */
const READ_DEADLINE_MS = 30_000;

/** A fetch that gives up reads of JSON after the deadline, as if the network had failed. Streams and changes have none. */
export const withDeadline =
  (inner: typeof fetch, ms: number = READ_DEADLINE_MS): typeof fetch =>
  async (input, init) => {
    const isRead = (init?.method ?? 'GET') === 'GET' && new Headers(init?.headers).get('accept') === 'application/json';
    const hasGivenUp = () => init?.signal?.aborted === true;
    if (!isRead || hasGivenUp()) return inner(input, init);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), ms);
    const giveUp = () => deadline.abort();
    init?.signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await inner(input, { ...init, signal: deadline.signal });
    } catch (error) {
      if (!deadline.signal.aborted || hasGivenUp()) throw error;
      throw new TypeError('The network gave no answer in time.');
    } finally {
      clearTimeout(timer);
      init?.signal?.removeEventListener('abort', giveUp);
    }
  };
