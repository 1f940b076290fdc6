import { describe, expect, test } from '@jest/globals';
import { createClient, type VaultEvent } from './index.ts';

const vault = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const params = { chain_id: '31337', vault_address: vault };
const update = (kind: string) => JSON.stringify({ chain_id: 31337, vault_address: vault, kind, block_number: 1 });
const event = (id: number, kind: string) => `id: ${id}\nevent: ${kind}\ndata: ${update(kind)}\n\n`;

type Scripted = { chunks?: string[]; status?: number; stall?: boolean };

/** Answers each request with the next script; the last one again when there are no more. */
const scripted = (scripts: Scripted[]) => {
  const headers: Headers[] = [];
  const fake: typeof fetch = async (_input, init) => {
    headers.push(new Headers(init?.headers));
    const script = scripts[Math.min(headers.length, scripts.length) - 1] ?? {};
    const { chunks = [], status = 200, stall = false } = script;
    if (status !== 200)
      return new Response(JSON.stringify({ code: 'VAULT_NOT_FOUND', detail: 'no' }), {
        status,
        headers: { 'content-type': 'application/problem+json' },
      });
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        if (stall) init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
        else controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  return { headers, client: createClient({ baseUrl: 'http://x', fetch: fake, token: 'abc' }) };
};

describe('one connection', () => {
  test('default: events, however they are cut into chunks; comments and unknown kinds are passed over', async () => {
    const text = `retry: 2000\n\n: still here\n\n${event(1, 'pps')}${event(2, 'newer_kind')}${event(3, 'roles')}`;
    const { client, headers } = scripted([{ chunks: [text.slice(0, 50), text.slice(50, 61), text.slice(61)] }]);
    const seen: VaultEvent[] = [];
    for await (const one of client.streamVault({ params, lastEventId: '7' })) seen.push(one);
    expect(seen.map(({ id, update: { kind } }) => `${id} ${kind}`)).toEqual(['1 pps', '3 roles']);
    expect(headers[0]?.get('last-event-id')).toBe('7');
    expect(headers[0]?.get('authorization')).toBe('Bearer abc');
  });

  test('behavior: a reset is reported, not passed on as an event', async () => {
    const { client } = scripted([{ chunks: ['id: 9\nevent: reset\ndata: {"reason":"x"}\n\n', event(9, 'vault')] }]);
    let resets = 0;
    const kinds: string[] = [];
    for await (const one of client.streamVault({ params, onReset: () => (resets += 1) })) kinds.push(one.update.kind);
    expect([resets, kinds]).toEqual([1, ['vault']]);
  });

  test('behavior: an abort ends it', async () => {
    const { client } = scripted([{ chunks: [event(1, 'pps')], stall: true }]);
    const abort = new AbortController();
    const read = async () => {
      for await (const _one of client.streamVault({ params, signal: abort.signal })) abort.abort();
    };
    await expect(read()).rejects.toThrow();
  });
});

describe('following', () => {
  test('default: comes back after the last event seen', async () => {
    const { client, headers } = scripted([
      { chunks: [event(1, 'pps'), event(2, 'pps')] },
      { status: 503 },
      { chunks: [event(3, 'pps')], stall: true },
    ]);
    const abort = new AbortController();
    const ids: string[] = [];
    const following = client.followVault({
      params,
      signal: abort.signal,
      retryMs: 1,
      onEvent: ({ id }) => {
        ids.push(id ?? '');
        if (ids.length === 3) abort.abort();
      },
    });
    await following;
    expect(ids).toEqual(['1', '2', '3']);
    expect(headers.map((one) => one.get('last-event-id'))).toEqual([null, '2', '2']);
  });

  test('error: a refusal another try would repeat ends it', async () => {
    const { client, headers } = scripted([{ status: 404 }]);
    await expect(client.followVault({ params, onEvent: () => undefined })).rejects.toMatchObject({
      code: 'VAULT_NOT_FOUND',
    });
    expect(headers).toHaveLength(1);
  });
});
