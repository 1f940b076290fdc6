import { createHash } from 'node:crypto';
import { AppError, GetMerkleSync, ReadArtifact } from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway } from './harness.ts';

const parts = ['{"leaves":["é",', '1,', '2]}\n'];
const text = parts.join('');
const hash = `0x${createHash('sha256').update(text).digest('hex')}`;
const path = `/api/v1/merkle/artifacts/${hash}`;
const sync = {
  action: 'in_sync',
  reason: 'root_in_force',
  config_version: 1,
  tree_id: 'tree',
  root_hash: hash,
  strategy_root: hash,
  proposed_root: null,
  effective_time: null,
  timelock_seconds: 900,
  chain_time: '2026-01-01T00:00:00.000Z',
  block_number: 1,
  veto: { global: false, strategy: false },
};

let gateway: TestGateway;
let answer: object;
const asked: unknown[] = [];
/** The part at which the store is away. */
let broken: number | undefined;

beforeAll(async () => {
  gateway = await startTestGateway({
    callAction: async (action, params) => {
      asked.push(params);
      if ((action as unknown) === GetMerkleSync) return answer as never;
      if ((action as unknown) !== ReadArtifact) throw new Error('not asked for here');
      const { hash: name, part = 0 } = params as unknown as { hash: string; part?: number };
      if (name !== hash) throw new AppError('ARTIFACT_NOT_FOUND', 'Nothing is published under this hash.');
      if (part === broken) throw new AppError('SERVICE_UNAVAILABLE', 'Away.');
      const next = part + 1 < parts.length ? part + 1 : null;
      return { text: parts[part], bytes: Buffer.byteLength(text), next } as never;
    },
  });
});
beforeEach(() => {
  asked.length = 0;
  broken = undefined;
});
afterAll(() => gateway.stop());

describe('an artifact', () => {
  test('default: is its parts put together, for everybody to keep', async () => {
    const { statusCode, headers, rawPayload } = await gateway.http.inject(path);
    expect([statusCode, rawPayload.toString()]).toEqual([200, text]);
    expect(`0x${createHash('sha256').update(rawPayload).digest('hex')}`).toBe(hash);
    expect(headers).toMatchObject({
      etag: `"${hash}"`,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
    });
  });

  test('behavior: a client that has it gets 304 without its bytes', async () => {
    const kept = await gateway.http.inject({ url: path, headers: { 'if-none-match': `"${hash}"` } });
    expect([kept.statusCode, kept.body, asked.length]).toEqual([304, '', 1]);
  });

  test('behavior: upper-case digits name the same', async () => {
    expect((await gateway.http.inject(path.replace(hash, `0x${hash.slice(2).toUpperCase()}`))).statusCode).toBe(200);
  });

  test('error: an unknown or malformed hash is a problem that nobody keeps', async () => {
    const unknown = await gateway.http.inject(path.replace(hash, `0x${'ab'.repeat(32)}`));
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'ARTIFACT_NOT_FOUND']);
    expect(unknown.headers['cache-control'] ?? '').not.toContain('immutable');
    expect((await gateway.http.inject('/api/v1/merkle/artifacts/0x12')).statusCode).toBe(400);
  });

  test('error: one that breaks off never looks whole', async () => {
    broken = 2;
    await expect(gateway.http.inject(path)).rejects.toThrow();
  });
});

describe('sync', () => {
  const ask = async () =>
    gateway.http.inject({
      url: `/api/v1/merkle/sync?vault_address=${vaultAddress}&chain_id=31337`,
      headers: { authorization: `Bearer ${await aToken()}` },
    });

  test('behavior: nothing to do is 204 without a body', async () => {
    answer = sync;
    const { statusCode, body } = await ask();
    expect([statusCode, body]).toEqual([204, '']);
  });

  test('default: anything else says what', async () => {
    answer = { ...sync, action: 'propose', reason: 'not_proposed' };
    const { statusCode, body } = await ask();
    expect([statusCode, JSON.parse(body)]).toEqual([200, answer]);
  });
});
