import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { explain } from '../design/explain.ts';
import { withDeadline } from './deadline.ts';

const headers = { accept: 'application/json' };
/** A network that swallows requests. */
const swallow = jest.fn(
  (_input: unknown, init?: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')));
    }),
);

test('default: a read without an answer fails after the deadline as a network that is gone', async () => {
  const read = withDeadline(swallow as typeof fetch, 10)('/api/v1/x', { headers });
  const error = await read.catch((reason: unknown) => reason);
  expect(explain(error).headline).toBe('The server cannot be reached');
});

test('behavior: a caller that gives up first gets its own error, and what changes something or streams has no deadline', async () => {
  const own = new AbortController();
  const read = withDeadline(swallow as typeof fetch, 1_000)('/api/v1/x', { headers, signal: own.signal });
  own.abort();
  await expect(read).rejects.toMatchObject({ name: 'AbortError' });
  const inner = jest.fn(async (_input: unknown, _init?: RequestInit) => ({ ok: true }) as Response);
  await withDeadline(inner as typeof fetch, 10)('/api/v1/x', { method: 'POST', headers });
  await withDeadline(inner as typeof fetch, 10)('/api/v1/x', { headers: { accept: 'text/event-stream' } });
  expect(inner.mock.calls.map(([, init]) => init?.signal)).toEqual([undefined, undefined]);
});
