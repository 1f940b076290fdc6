import { createServer } from 'node:http';

type Call = { id: number; method: string; params?: unknown[] };

/** What a node answers, or what the test makes of it. */
export type Tamper = (method: string, params: readonly unknown[], result: unknown) => unknown;

export type TamperedRpc = {
  readonly url: string;
  /** Honest unless the test replaces it. */
  tamper: Tamper;
  /** Answers nothing at all. */
  isDown: boolean;
  /** Milliseconds before it answers. */
  delayMs: number;
  stop(): Promise<void>;
};

/** A JSON-RPC server that hands on to a real one and can lie about each answer. */
export async function startTamperedRpc(targetUrl: string): Promise<TamperedRpc> {
  const rpc = { tamper: (_method, _params, result) => result, isDown: false, delayMs: 0 } as {
    tamper: Tamper;
    isDown: boolean;
    delayMs: number;
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (rpc.isDown) {
      response.writeHead(503).end();
      return;
    }
    // biome-ignore lint/plugin: the node that a test asked for is slow
    if (rpc.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, rpc.delayMs));
    const body = Buffer.concat(chunks).toString();
    const calls = [JSON.parse(body) as Call | Call[]].flat();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(targetUrl, { method: 'POST', headers, body })
      .then((real): Promise<unknown> => real.json())
      .catch(() => null);
    if (answer === null) {
      response.destroy();
      return;
    }
    const answers = [answer].flat().map((item) => {
      const answer = item as { id: number; result?: unknown };
      const call = calls.find(({ id }) => id === answer.id);
      return call && 'result' in answer
        ? { ...answer, result: rpc.tamper(call.method, call.params ?? [], answer.result) }
        : answer;
    });
    response.writeHead(200, headers).end(JSON.stringify(Array.isArray(answer) ? answers : answers[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(rpc, {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}
