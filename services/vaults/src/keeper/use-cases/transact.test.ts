import { KeyServiceError } from '@castellan/signer';
import { expect, test } from '@jest/globals';
import type { Hex } from 'viem';
import type { Attempt, Kept, Open } from '../adapters/journal.mongo.ts';
import type { KeeperPorts } from '../ports.ts';
import { begin, bumpUp, giveUp, send } from './transact.ts';

const raw: Hex = '0x02';
const attempt = { hash: '0xaa', raw, max_fee: '100', tip: '1', kind: 'deliver', block: 1 } as const;
const open = { key: 'int', kind: 'intent', nonce: 7, attempts: [attempt], gas: '1', offered: true } as unknown as Open;
const kept = { _id: '1:0x', chain_id: 1, open } as unknown as Kept & { open: Open };

/** A market that asks for more than may be offered. */
function dear() {
  const [sent, steps]: [Hex[], string[]] = [[], []];
  const ports = {
    chain: {
      chainId: 1,
      market: async () => ({ baseFee: 500n, tip: 1n }),
      head: async () => ({ number: 50, time: 50 }),
      simulate: async () => ({ gas: 21_000n }),
      send: async (form: Hex) => {
        steps.push('send');
        sent.push(form);
        return 'accepted';
      },
    },
    signer: { address: '0x', signTransaction: async ({ data }: { data: Hex }) => (data === '0x' ? '0xee' : '0xdd') },
    settings: { maxFee: 100n },
    journal: {
      offer: async (before: Kept & { open: Open }) => {
        steps.push('offer');
        return { ...before, open: { ...before.open, offered: true } };
      },
      replace: async (before: Kept & { open: Open }, added: Attempt) => ({
        ...before,
        open: { ...before.open, attempts: [...before.open.attempts, added] },
      }),
    },
    metrics: { transactions: { inc: () => undefined } },
    logger: { warn: () => undefined },
  } as unknown as KeeperPorts;
  return { ports, sent, steps };
}

test('behavior: at the highest price that may be offered it is sent again instead of a dearer form: a node may have forgotten it', async () => {
  const { ports, sent } = dear();
  expect(await bumpUp(ports, kept)).toBe(kept);
  expect(sent).toEqual([raw]);
});

test('behavior: what is given up is never sent again, even where no more may be offered for its nonce', async () => {
  const { ports, sent } = dear();
  const { open: given } = await giveUp(ports, kept, 'KILL_SWITCH');
  expect(sent).toEqual(['0xee']);
  expect(given.attempts.at(-1)).toMatchObject({ kind: 'cancel', code: 'KILL_SWITCH', max_fee: '100' });
});

test('behavior: that a node may have it is stored before the first is asked', async () => {
  const { ports, steps } = dear();
  const offered = await send(ports, { ...kept, open: { ...open, offered: false } });
  await send(ports, offered);
  expect(steps).toEqual(['offer', 'send', 'send']);
});

/** What is signed for a call of so much gas, where a million is the limit. */
async function signedFor(
  gas: bigint,
  { open = [] as number[], offered = true, pending = 0, l1Fee = 0n, refusal = undefined as Error | undefined } = {},
) {
  let signed: bigint | undefined;
  const ports = {
    chain: {
      chainId: 1,
      simulate: async () => ({ gas }),
      market: async () => ({ baseFee: 1n, tip: 1n }),
      balance: async () => 10n ** 18n,
      l1Fee: async () => l1Fee,
      head: async () => ({ number: 1, time: 1 }),
      minedNonce: async () => 0,
      pendingNonce: async () => pending,
    },
    signer: {
      address: '0x',
      signTransaction: async (transaction: { gas: bigint }) => {
        if (refusal) throw refusal;
        signed = transaction.gas;
        return raw;
      },
    },
    settings: { maxFee: 100n, maxGas: 1_000_000n },
    journal: {
      open: async () => open.map((nonce) => ({ open: { nonce, account: '0x', offered } })),
      begin: async (_kept: unknown, stored: Open) => {
        expect(stored.begun_at).toBe('2026-01-01T00:00:00.000Z');
        return kept;
      },
    },
    now: () => Date.parse('2026-01-01T00:00:00Z'),
    logger: { error: () => undefined },
  } as unknown as KeeperPorts;
  const order = { key: 'int', kind: 'intent', expires_at: '', call: { to: '0x', data: '0x' } } as const;
  await begin(ports, kept, order as never);
  return signed;
}

test('behavior: a transaction takes a third more than its simulation, and never more than the limit', async () => {
  expect(await signedFor(100_000n)).toBe(130_000n);
  expect(await signedFor(1_000_000n)).toBe(1_000_000n);
});

test('error: a call that needs more gas than the limit is not signed', async () => {
  await expect(signedFor(1_000_001n)).rejects.toMatchObject({ code: 'GAS_LIMIT' });
});

test('error: a call whose L1 fee the key cannot pay is not signed', async () => {
  await expect(signedFor(100_000n, { l1Fee: 10n ** 18n })).rejects.toMatchObject({ code: 'LOW_GAS' });
});

test('security: nothing is signed beside a transaction that a node holds and the journal does not know', async () => {
  await expect(signedFor(1n, { pending: 1 })).rejects.toMatchObject({ code: 'NONCE_TAKEN' });
  await expect(signedFor(1n, { open: [0], pending: 2 })).rejects.toMatchObject({ code: 'NONCE_TAKEN' });
  expect(await signedFor(3n, { open: [0], pending: 1 })).toBe(3n);
  // A gap that the keeper's own transactions wait behind.
  expect(await signedFor(3n, { open: [1], pending: 0 })).toBe(3n);
});

test('error: nothing is signed behind a transaction that was not sent: should it never be, its nonce is a gap', async () => {
  await expect(signedFor(3n, { open: [0], offered: false })).rejects.toMatchObject({ code: 'NONCE_TAKEN' });
});

test('error: a key service that does not sign is a refusal that names no key; a bug is none', async () => {
  const refusal = new KeyServiceError('denied', 'The key aws-kms:alias/keeper cannot be used.');
  await expect(signedFor(100n, { refusal })).rejects.toMatchObject({
    code: 'KEY_UNAVAILABLE',
    message: expect.not.stringContaining('aws-kms'),
  });
  await expect(signedFor(100n, { refusal: new TypeError('a bug') })).rejects.toThrow(TypeError);
});
