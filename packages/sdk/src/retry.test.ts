import { describe, expect, test } from '@jest/globals';
import type { Clock } from './clock.ts';
import { createClient } from './index.ts';

const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify({ code, detail: 'no' }), {
      status,
      headers: { 'content-type': 'application/problem+json', ...headers },
    });
const done = () => new Response('[]', { headers: { 'content-type': 'application/json' } });
const unreachable = () => {
  throw new TypeError('fetch failed');
};

const scripted = (answers: (() => Response)[], retries = 3) => {
  const waits: number[] = [];
  let asked = 0;
  const clock: Clock = { now: () => 0, wait: async (ms) => void waits.push(ms) };
  const fake: typeof fetch = async () => {
    asked += 1;
    return (answers[asked - 1] ?? done)();
  };
  const client = createClient({ baseUrl: 'http://x', token: 't', fetch: fake, retries, clock });
  return { client, waits, asked: () => asked };
};
const write = { body: { chain_id: 1, vault_address: `0x${'11'.repeat(20)}` } };

describe('retries', () => {
  test('default: a read is repeated until it succeeds, with growing waits, after what the server asks', async () => {
    const { client, waits, asked } = scripted([
      problem(503, 'SERVICE_UNAVAILABLE'),
      unreachable,
      problem(429, 'RATE_LIMITED', { 'retry-after': '7' }),
    ]);
    expect(await client.publicVaults({})).toEqual([]);
    expect(asked()).toBe(4);
    expect(waits).toEqual([expect.closeTo(500, -2.4), expect.closeTo(1000, -2.7), 7000]);
  });

  test('default: nothing is repeated unless it is asked for', async () => {
    const { client, asked } = scripted([problem(503, 'SERVICE_UNAVAILABLE')], 0);
    await expect(client.publicVaults({})).rejects.toMatchObject({ retryable: true });
    expect(asked()).toBe(1);
  });

  test('behavior: it ends after so many, with the last answer', async () => {
    const { client, asked } = scripted(Array.from({ length: 9 }, () => problem(503, 'NOT_READY')));
    await expect(client.publicVaults({})).rejects.toMatchObject({ code: 'NOT_READY' });
    expect(asked()).toBe(4);
  });

  test.each([
    ['what a repetition would not change', problem(404, 'VAULT_NOT_FOUND')],
    ['what is to be repeated in an hour', problem(429, 'AI_BUDGET_SPENT', { 'retry-after': '3600' })],
  ])('error: %s is not repeated', async (_, answer) => {
    const { client, asked } = scripted([answer]);
    await expect(client.publicVaults({})).rejects.toThrow();
    expect(asked()).toBe(1);
  });

  test('behavior: a write is repeated with a key only, or where it was refused before anything was done', async () => {
    const broken = [problem(503, 'SERVICE_UNAVAILABLE')];
    const lost = scripted([unreachable]);
    await expect(lost.client.prepareSkimFees(write)).rejects.toThrow('fetch failed');
    const without = scripted(broken);
    await expect(without.client.prepareSkimFees(write)).rejects.toMatchObject({ status: 503 });
    const keyed = scripted(broken);
    await keyed.client.prepareSkimFees({ ...write, idempotencyKey: 'k' }).catch(() => undefined);
    const limited = scripted([problem(429, 'RATE_LIMITED')]);
    await limited.client.prepareSkimFees(write).catch(() => undefined);
    expect([lost, without, keyed, limited].map(({ asked }) => asked())).toEqual([1, 1, 2, 2]);
  });

  test('behavior: an abort ends the waiting', async () => {
    const stopping = new AbortController();
    const fake: typeof fetch = async () => {
      queueMicrotask(() => stopping.abort(new Error('enough')));
      return problem(503, 'NOT_READY', { 'retry-after': '50' })();
    };
    const client = createClient({ baseUrl: 'http://x', fetch: fake, retries: 3 });
    await expect(client.publicVaults({ signal: stopping.signal })).rejects.toThrow('enough');
  });
});

test.each([
  [401, 'TOKEN_EXPIRED', 'Sign in again.', false],
  [403, 'STEP_UP_REQUIRED', 'Let the wallet sign again, then repeat the request.', false],
  [
    409,
    'MANDATE_REFUSES',
    'Change what is prepared, or have the primary manager put another mandate into force.',
    false,
  ],
  [409, 'JOB_RUNNING', 'Read the resource again, then decide on what it is now.', true],
  [418, 'NEWER_CODE', 'Ask the operator for help, with `request_id`.', false],
  [502, 'NOT_A_PROBLEM', 'Ask the operator for help, with `request_id`.', true],
])('default: %d %s says what its reader does next', async (status, code, next_step, retryable) => {
  const { client } = scripted([problem(status, code)], 0);
  await expect(client.publicVaults({})).rejects.toMatchObject({ code, next_step, retryable });
});
