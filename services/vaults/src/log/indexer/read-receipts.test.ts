import { describe, expect, test } from '@jest/globals';
import { createPublicClient, custom, type Hash, type PublicClient } from 'viem';
import type { EntryDraft } from '../domain/log-entry.ts';
import { readTransactions } from './read-receipts.ts';

const hash = (nr: number): Hash => `0x${nr.toString(16).padStart(64, '0')}`;
const from = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const [vault, other] = ['0x00000000000000000000000000000000000000A1', '0x00000000000000000000000000000000000000b2'];

const log = (tx: number, index: number, of: string | null): EntryDraft => ({
  kind: 'log',
  block_number: 7,
  block_hash: hash(700),
  block_time: '2026-11-21T00:00:00.000Z',
  tx_hash: hash(tx),
  log_index: index,
  address: vault,
  contract: 'vault',
  vault_address: of,
  name: 'Transfer',
  args: {},
});

const receipt = (tx: Hash, more: object = {}) => ({
  transactionHash: tx,
  transactionIndex: '0x0',
  blockHash: hash(700),
  blockNumber: '0x7',
  from,
  to: vault,
  gasUsed: '0x5208',
  cumulativeGasUsed: '0x5208',
  effectiveGasPrice: '0x3b9aca00',
  status: '0x1',
  type: '0x2',
  contractAddress: null,
  logs: [],
  logsBloom: '0x',
  ...more,
});

function clientOf(
  answer: (tx: Hash) => unknown,
  ofBlock: () => unknown = () => null,
): { client: PublicClient; asked: Hash[] } {
  const asked: Hash[] = [];
  const request = async ({ method, params }: { method: string; params?: readonly unknown[] }) => {
    if (method === 'eth_getBlockReceipts' && params?.[0] === hash(700)) return ofBlock();
    if (method !== 'eth_getTransactionReceipt') throw new Error(`The test does not script ${method}`);
    const tx = params?.[0] as Hash;
    asked.push(tx);
    return answer(tx);
  };
  return { client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }) as PublicClient, asked };
}

describe('readTransactions', () => {
  test('default: one observation for each transaction, naming every vault it touched', async () => {
    const { client, asked } = clientOf(receipt);
    const drafts = [log(1, 0, vault), log(1, 1, other), log(1, 2, vault), log(2, 3, null)];
    const observed = await readTransactions(client, drafts);
    expect(asked).toEqual([hash(1)]);
    expect(observed).toMatchObject([
      {
        kind: 'observation',
        name: 'transaction_observed',
        block_hash: hash(700),
        tx_hash: hash(1),
        vault_address: null,
        args: {
          from,
          gas_used: '21000',
          effective_gas_price: '1000000000',
          l1_fee: '0',
          vault_addresses: [vault, other],
        },
      },
    ]);
  });

  test('behavior: what a rollup adds for its L1 is kept', async () => {
    const { client } = clientOf((tx) => receipt(tx, { l1Fee: '0x64' }));
    const observed = await readTransactions(client, [log(1, 0, vault)]);
    expect(observed?.[0]?.args).toMatchObject({ l1_fee: '100' });
  });

  test('behavior: a node that forgot where the transaction is has it among the receipts of its block', async () => {
    const { client } = clientOf(
      () => null,
      () => [receipt(hash(2)), receipt(hash(1), { gasUsed: '0x1' })],
    );
    expect((await readTransactions(client, [log(1, 0, vault)]))?.[0]?.args).toMatchObject({ gas_used: '1' });
  });

  test('behavior: a node without receipts of blocks is one whose chain moved, one that is away is not', async () => {
    const failing = (code: number, message: string) =>
      clientOf(
        () => null,
        () => {
          throw Object.assign(new Error(message), { code });
        },
      ).client;
    const unknown = failing(-32_601, 'the method eth_getBlockReceipts does not exist/is not available');
    expect(await readTransactions(unknown, [log(1, 0, vault)])).toBeNull();
    await expect(readTransactions(failing(4_444, 'pruned history unavailable'), [log(1, 0, vault)])).rejects.toThrow();
  });

  test('behavior: a receipt that is gone or of another block means that the chain moved', async () => {
    expect(await readTransactions(clientOf(() => null).client, [log(1, 0, vault)])).toBeNull();
    const moved = clientOf((tx) => receipt(tx, { blockHash: hash(701) }));
    expect(await readTransactions(moved.client, [log(1, 0, vault)])).toBeNull();
  });
});
