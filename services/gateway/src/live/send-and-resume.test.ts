import { EventEmitter } from 'node:events';
import type { VaultDetail, VaultUpdate } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { vaultKeyOf } from '../http/shared-reads.ts';
import { createFeed } from './recent-updates.ts';
import { createStreams } from './send-and-resume.ts';

const vault_address = '0x8464135c8F25Da09e49BC8782676a84730C318bC';
const params = { chain_id: 31_337, vault_address } as unknown as Parameters<
  ReturnType<typeof createStreams>['open']
>[2];

/** An answer whose reader may leave. */
class Answer extends EventEmitter {
  destroyed = false;
  writableLength = 0;
  writeHead = () => undefined;
  readonly written: unknown[] = [];
  write = (bytes: unknown) => void this.written.push(bytes);
  end = () => undefined;
  leave(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

test('behavior: who leaves while the vault is read gives the place back', async () => {
  const held: ((detail: VaultDetail) => void)[] = [];
  let counted = 0;
  const streams = createStreams({
    feed: createFeed({ keepMs: 1000, maxEvents: 10, now: () => 0 }),
    revocations: { onRevoked: () => () => undefined, has: () => false },
    loadVault: () => Promise.reject(new Error('The public is nobody.')),
    readPublicVault: async () => ({
      bytes: Buffer.from(JSON.stringify(await new Promise<VaultDetail>((resolve) => held.push(resolve)))),
    }),
    untilRolesAreRead: async () => true,
    config: { perCaller: 2, perNetwork: 9, bufferBytes: 1000, keepSeconds: 1, heartbeatSeconds: 60 },
    now: () => 0,
    onCount: (by) => {
      counted += by;
    },
  });
  const open = async (leaves: boolean): Promise<void> => {
    const raw = new Answer();
    const request = { headers: {}, ip: '192.0.2.1' } as unknown as FastifyRequest;
    const reply = { raw, hijack: () => undefined, getHeaders: () => ({}) } as unknown as FastifyReply;
    const opened = streams.open(request, reply, params);
    if (leaves) raw.leave();
    held.shift()?.({ chain_id: 31_337, vault_address, block_number: 1, my_role: null } as VaultDetail);
    await opened;
  };
  for (let n = 0; n < 3; n += 1) await open(true);
  expect(counted).toBe(0);
  for (let n = 0; n < 2; n += 1) await open(false);
  expect(counted).toBe(2);
  await expect(open(false)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  streams.close();
});

test('behavior: who comes from a gateway that is ahead gets nothing again, and no reset', async () => {
  const feed = createFeed({ keepMs: 1000, maxEvents: 10, now: () => 0 });
  const detail = { chain_id: 31_337, vault_address, block_number: 1, my_role: null };
  const streams = createStreams({
    feed,
    revocations: { onRevoked: () => () => undefined, has: () => false },
    loadVault: () => Promise.reject(new Error('The public is nobody.')),
    readPublicVault: async () => ({ bytes: Buffer.from(JSON.stringify(detail)) }),
    untilRolesAreRead: async () => true,
    config: { perCaller: 9, perNetwork: 9, bufferBytes: 1000, keepSeconds: 1, heartbeatSeconds: 60 },
    now: () => 0,
    onCount: () => undefined,
  });
  const key = vaultKeyOf(params);
  const push = (id: number) => feed.push(key, id, { kind: 'pps' } as VaultUpdate);
  feed.startAfter(6);
  push(7);
  const raw = new Answer();
  const request = { headers: { 'last-event-id': '9' }, ip: '192.0.2.1' } as unknown as FastifyRequest;
  const reply = { raw, hijack: () => undefined, getHeaders: () => ({}) } as unknown as FastifyReply;
  const opened = streams.open(request, reply, params);
  for (const id of [8, 9]) push(id);
  await opened;
  push(10);
  const ids = raw.written.flatMap((part) =>
    [...String(part).matchAll(/id: (\d+)\nevent: (\w+)/g)].map(([, id, kind]) => [id, kind]),
  );
  expect(ids).toEqual([
    ['9', 'vault'],
    ['10', 'pps'],
  ]);
  streams.close();
});

test('behavior: what nobody sends any more is not waited for longer than said', async () => {
  const feed = createFeed({ keepMs: 1000, maxEvents: 10, now: () => 0 });
  await feed.reached(5, 10);
  expect(feed.lastId).toBe(0);
});

test('behavior: public readers of one snapshot begin with the same bytes, made once; the next update makes others', async () => {
  const feed = createFeed({ keepMs: 1000, maxEvents: 10, now: () => 0 });
  const detail = { chain_id: 31_337, vault_address, block_number: 1, my_role: null };
  const snapshot = { bytes: Buffer.from(JSON.stringify(detail)) };
  const streams = createStreams({
    feed,
    revocations: { onRevoked: () => () => undefined, has: () => false },
    loadVault: () => Promise.reject(new Error('The public is nobody.')),
    readPublicVault: async () => snapshot,
    untilRolesAreRead: async () => true,
    config: { perCaller: 9, perNetwork: 9, bufferBytes: 1000, keepSeconds: 1, heartbeatSeconds: 60 },
    now: () => 0,
    onCount: () => undefined,
  });
  const firstOf = async (): Promise<unknown> => {
    const raw = new Answer();
    const request = { headers: {}, ip: '192.0.2.1' } as unknown as FastifyRequest;
    const reply = { raw, hijack: () => undefined, getHeaders: () => ({}) } as unknown as FastifyReply;
    await streams.open(request, reply, params);
    return raw.written.at(-1);
  };
  feed.startAfter(7);
  const first = await firstOf();
  expect(String(first)).toBe(
    `id: 7\nevent: vault\ndata: ${JSON.stringify({ chain_id: 31_337, vault_address, kind: 'vault', block_number: 1, detail })}\n\n`,
  );
  expect(await firstOf()).toBe(first);
  feed.push('another vault', 8, { kind: 'pps' } as VaultUpdate);
  expect(String(await firstOf())).toBe(String(first).replace('id: 7', 'id: 8'));
  streams.close();
});
