import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@castellan/service-kit';
import { until } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { createScheduler } from '../../test/simulation/kit/scheduler.ts';
import { ChainRuntime, type ChainRuntimeOptions } from './chain-runtime.ts';

test('error: a chain that does not answer gives a report back after ocr2.transmit_timeout', async () => {
  const scheduler = createScheduler();
  const address = '0x0000000000000000000000000000000000000001';
  const chain = new ChainRuntime({
    entry: {
      name: 'l',
      chain_id: 1,
      https_rpc: ['http://127.0.0.1:1'],
      block_time: 1_000,
      super_governor_address: address,
      ecdsa_oracle_address: address,
    },
    config: { ocr2: { blockchain_timeout: 1_000, transmit_timeout: 7_000 } },
    clock: scheduler,
    log: createLogger({ service: 'test', level: 'silent' }),
  } as unknown as ChainRuntimeOptions);
  let failure: unknown;
  const submitted = chain.submit('key', [], { epoch: 1, round: 1, digest: '0x' }).catch((error: unknown) => {
    failure = error;
  });
  await scheduler.run({ until: () => failure !== undefined, before: 6_999 });
  expect(failure).toBeUndefined();
  await scheduler.run({ until: () => failure !== undefined, before: 7_000 });
  await submitted;
  expect(failure).toMatchObject({ message: expect.stringContaining('in time') });
});

/** A node that answers who it is and how far it has come. */
async function nodeAt(head: number): Promise<{ url: string; asked: string[]; stop(): void }> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = ({ id, method }: { id: number; method: string }) => {
      asked.push(method);
      return { jsonrpc: '2.0', id, result: method === 'eth_chainId' ? '0x1' : `0x${head.toString(16)}` };
    };
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('behavior: the general client asks the endpoint at the head before one that is far behind it', async () => {
  const [behind, ahead] = await Promise.all([nodeAt(100), nodeAt(200)]);
  const found: string[] = [];
  const chain = new ChainRuntime({
    entry: { name: 'l', chain_id: 1, https_rpc: [behind.url, ahead.url], block_time: 1_000 },
    config: { ocr2: { blockchain_timeout: 30_000 } },
    onPlugin: (event: { type: string; rpc: string; result: string }) => found.push(`${event.rpc} ${event.result}`),
  } as unknown as ChainRuntimeOptions);
  try {
    expect(await chain.client.getBlockNumber()).toBe(100n);
    await until('both are known', () => found.length === 2);
    expect(found).toEqual(['rpc-0 behind', 'rpc-1 ok']);
    expect(await chain.client.getBlockNumber()).toBe(200n);
  } finally {
    behind.stop();
    ahead.stop();
  }
});
