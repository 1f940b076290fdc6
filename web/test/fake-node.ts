import { jest } from '@jest/globals';

type Answer = (params: readonly unknown[]) => unknown;
type Request = { id: number; method: string; params?: unknown[] };

/** A node behind every wallet of the page: answers JSON-RPC by method, and keeps what it was asked. */
export function fakeNode(answers: Record<string, Answer>) {
  const asked: Request[] = [];
  const known: Record<string, Answer> = { eth_chainId: () => '0x7a69', ...answers };
  const answer = async (request: Request) => {
    asked.push(request);
    const reply = known[request.method];
    if (reply === undefined) throw new Error(`The test expects no ${request.method}.`);
    return { jsonrpc: '2.0', id: request.id, result: await reply(request.params ?? []) };
  };
  const fetch = jest.fn(async (_: unknown, init?: { body?: string }) => {
    const body = JSON.parse(init?.body ?? '{}') as Request | Request[];
    const reply = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body);
    return {
      ok: true,
      status: 200,
      headers: { get: () => 'application/json' },
      json: async () => reply,
      text: async () => JSON.stringify(reply),
    };
  });
  // viem makes one of these per request, which jsdom does not have, and then passes plain values to fetch.
  Object.assign(globalThis, { fetch, Request: class {} });
  return { asked: (method: string) => asked.filter((request) => request.method === method) };
}
