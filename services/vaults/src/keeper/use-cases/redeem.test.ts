import { superVaultStrategyAbi } from '@castellan/chain';
import { describe, expect, test } from '@jest/globals';
import { type Address, decodeFunctionData, getAddress, type Hex, numberToHex } from 'viem';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import type { Redemption } from '../../vault/domain/redemption.ts';
import type { Kept } from '../adapters/journal.mongo.ts';
import type { Pace, RedemptionKind } from '../domain/pace.ts';
import type { KeeperPorts } from '../ports.ts';
import { queueOf, redeem } from './redeem.ts';

const holder = (index: number): Address => getAddress(numberToHex(index + 1, { size: 20 }));
const strategy = holder(9_000);
const detail = { vault_address: holder(9_001), strategy_address: strategy, asset: { address: holder(9_002) } };
const snapshot = { chain_id: 1, vault: holder(9_001).toLowerCase(), detail } as unknown as Snapshot;

const whole = {
  _id: '1:0x',
  chain_id: 1,
  vault: '0x',
  revision: 1,
  hour: null,
  last_turn: null,
  paying: {},
  failing: [],
} as unknown as Kept;
const redeemed = (ports: KeeperPorts, kept: Kept, kind: RedemptionKind) =>
  redeem(ports, kept, snapshot, { kind, queue: queueOf(ports, snapshot, { isUsable: true }) });

/** What is sent for a queue, the oldest request first. */
async function sentFor(
  queue: readonly Omit<Redemption, 'controller'>[],
  redemptionsAtOnce = 20,
  hour: Kept['hour'] = null,
  kind: RedemptionKind = 'fulfil',
) {
  const requests = queue.map((item, index) => ({ controller: holder(index), ...item }));
  let data: Hex | undefined;
  const entry = ({ controller }: Redemption) => ({ name: 'RedeemRequest', contract: 'vault', args: { controller } });
  const ports = {
    chain: {
      blockTimeSeconds: 12,
      redemptions: async (_target: unknown, asked: readonly Address[]) =>
        requests.filter(({ controller }) => asked.includes(controller)),
      idle: async () => 1_000n,
      simulate: async (_from: unknown, call: { data: Hex }) => {
        data ??= call.data;
        return { revert: 'looked at only' };
      },
    },
    settings: { redemptionsAtOnce, transactionsPerHour: 5, bumpAfterBlocks: 5 },
    journal: { note: async (kept: Kept) => kept, pace: async (kept: Kept) => kept },
    refusals: { note: async () => undefined },
    signer: { address: holder(9_003) },
    queuePlaces: new Map(),
    log: { livingOfVault: async () => requests.map(entry) },
    logger: { warn: () => undefined },
    now: () => 0,
  } as unknown as KeeperPorts;
  await redeemed(ports, { ...whole, hour }, kind);
  return data && decodeFunctionData({ abi: superVaultStrategyAbi, data });
}

const dust = { shares: 1n, assets: 0n, least: 0n, isCancelled: false };
const paid = { shares: 10n, assets: 10n, least: 10n, isCancelled: false };

test('behavior: requests that cannot be paid, however many they are, do not hide those behind them', async () => {
  const sent = await sentFor([...Array.from({ length: 250 }, () => dust), paid]);
  expect(sent).toEqual({ functionName: 'fulfillRedeemRequests', args: [[holder(250)], [10n]] });
});

test('behavior: idle assets are counted once over all pages, and one transaction pays no more than it may', async () => {
  const queue = [{ ...paid, assets: 995n, least: 0n }, ...Array.from({ length: 120 }, () => dust), paid];
  expect((await sentFor(queue))?.args?.[0]).toEqual([holder(0)]);
  const many = Array.from({ length: 150 }, (_, index) => (index % 2 === 0 ? paid : dust));
  expect((await sentFor(many, 60))?.args?.[0]).toHaveLength(60);
});

describe('of a queue that is too long for one pass', () => {
  /** What a vault with so much of idle assets is asked in each of some passes, and pays. */
  async function passes(times: number, idle: bigint, last: number) {
    const [looked, tried]: [number[], Address[]] = [[], []];
    const entry = (index: number) => ({
      name: 'RedeemRequest',
      contract: 'vault',
      args: { controller: holder(index) },
    });
    const ports = {
      chain: {
        blockTimeSeconds: 12,
        redemptions: async (_target: unknown, asked: readonly Address[]) => {
          looked[looked.length - 1] = (looked.at(-1) ?? 0) + asked.length;
          return asked.map((controller) => ({ controller, ...(controller === holder(last) ? paid : dust) }));
        },
        idle: async () => idle,
        simulate: async (_from: unknown, { data }: { data: Hex }) => {
          const [controllers] = decodeFunctionData({ abi: superVaultStrategyAbi, data }).args as unknown as [Address[]];
          tried.push(...controllers);
          return { revert: 'looked at only' };
        },
      },
      settings: { redemptionsAtOnce: 20, transactionsPerHour: 5, bumpAfterBlocks: 5 },
      queuePlaces: new Map(),
      journal: { note: async (kept: Kept) => kept, pace: async (kept: Kept) => kept },
      refusals: { note: async () => undefined },
      signer: { address: holder(9_003) },
      log: { livingOfVault: async () => Array.from({ length: 2_000 }, (_, index) => entry(index)) },
      logger: { warn: () => undefined },
      now: () => 0,
    } as unknown as KeeperPorts;
    for (let pass = 0; pass < times; pass += 1) {
      looked.push(0);
      await redeemed(ports, whole, 'fulfil');
    }
    return { looked, tried };
  }

  test('security: a pass looks at no more than it has room for, and each request has its turn', async () => {
    for (const last of [99, 100, 777, 1_999]) {
      const { looked, tried } = await passes(5, 1_000n, last);
      expect(looked).toEqual(Array.from({ length: 5 }, () => 500));
      expect(tried).toContain(holder(last));
    }
  });

  test('behavior: without idle assets nobody is looked at', async () => {
    expect((await passes(1, 0n, 0)).looked).toEqual([0]);
    expect((await passes(1, 10n, 0)).looked).toEqual([100]);
  });
});

test('behavior: what is cancelled is given back, wherever it stands', async () => {
  const queue = [...Array.from({ length: 120 }, () => dust), { ...paid, isCancelled: true }];
  const sent = await sentFor(queue, 20, null, 'fulfil_cancels');
  expect(sent).toEqual({ functionName: 'fulfillCancelRedeemRequests', args: [[holder(120)]] });
});

test('error: a kill switch set while the transaction is made ready keeps it from being sent', async () => {
  for (const kill_switch of [false, true]) {
    const [sent, closed]: [unknown[], unknown[]] = [[], []];
    const ports = {
      chain: {
        ...{ chainId: 1, blockTimeSeconds: 12 },
        redemptions: async () => [{ controller: holder(0), ...paid }],
        idle: async () => 1_000n,
        simulate: async () => ({ gas: 1n }),
        market: async () => ({ baseFee: 1n, tip: 1n }),
        balance: async () => 10n ** 18n,
        l1Fee: async () => 0n,
        head: async () => ({ number: 1, time: 1 }),
        minedNonce: async () => 0,
        pendingNonce: async () => 0,
        send: async (raw: Hex) => {
          sent.push(raw);
          return 'accepted';
        },
      },
      settings: { redemptionsAtOnce: 20, maxFee: 100n, maxGas: 100n, transactionsPerHour: 5, bumpAfterBlocks: 5 },
      signer: { address: holder(9_003), signTransaction: async () => '0x02' },
      strategies: { engine: async () => ({ kill_switch }) },
      journal: {
        open: async () => [],
        begin: async (kept: object, open: object) => ({ ...kept, open }),
        offer: async (kept: object) => kept,
        close: async (kept: object) => closed.push(kept),
      },
      queuePlaces: new Map(),
      log: {
        livingOfVault: async () => [{ name: 'RedeemRequest', contract: 'vault', args: { controller: holder(0) } }],
      },
      refusals: { note: async () => undefined },
      metrics: { transactions: { inc: () => undefined } },
      logger: { info: () => undefined, warn: () => undefined },
      now: () => 0,
    } as unknown as KeeperPorts;
    expect(await redeemed(ports, whole, 'fulfil')).toMatchObject({ hasSent: !kill_switch });
    expect([sent.length, closed.length]).toEqual(kill_switch ? [0, 1] : [1, 0]);
  }
});

test('error: beyond what a vault may have in an hour nothing is paid, until the hour is over', async () => {
  const at = (since: number, count: number) => sentFor([paid], 20, { since: new Date(since).toISOString(), count });
  expect(await at(0, 4)).toBeDefined();
  expect(await at(0, 5)).toBeUndefined();
  expect(await at(-3_600_000, 5)).toBeDefined();
});

describe('after a transaction of a kind has failed', () => {
  /** What is sent for four requests, of which the chain would not pay some, and how the next ones are to be paid. */
  async function paidFor(pace: Pace | null, refused: readonly number[], gas = 1n) {
    const asked: number[][] = [];
    const indexesOf = (data: Hex): number[] => {
      const [controllers] = decodeFunctionData({ abi: superVaultStrategyAbi, data }).args as unknown as [Address[]];
      return controllers.map((controller) => Number(controller) - 1);
    };
    let paying: Kept['paying'] | undefined;
    let expires_at: string | undefined;
    const queue = [0, 1, 2, 3];
    const ports = {
      chain: {
        ...{ chainId: 1, blockTimeSeconds: 12 },
        redemptions: async (_target: unknown, of: readonly Address[]) =>
          of.map((controller) => ({ controller, ...paid })),
        idle: async () => 1_000n,
        simulate: async (_from: unknown, { data }: { data: Hex }) => {
          asked.push(indexesOf(data));
          return indexesOf(data).some((index) => refused.includes(index)) ? { revert: 'BOUNDS_EXCEEDED' } : { gas };
        },
        market: async () => ({ baseFee: 1n, tip: 1n }),
        balance: async () => 10n ** 18n,
        l1Fee: async () => 0n,
        head: async () => ({ number: 1, time: 1 }),
        minedNonce: async () => 0,
        pendingNonce: async () => 0,
        send: async () => 'accepted',
      },
      settings: { redemptionsAtOnce: 20, maxFee: 100n, maxGas: 100n, transactionsPerHour: 5, bumpAfterBlocks: 5 },
      signer: { address: holder(9_003), signTransaction: async () => '0x02' },
      strategies: { engine: async () => ({ kill_switch: false }) },
      journal: {
        open: async () => [],
        begin: async (kept: object, open: { expires_at: string }, changes: { paying: Kept['paying'] }) => {
          paying = changes.paying;
          expires_at = open.expires_at;
          return { ...kept, open };
        },
        offer: async (kept: object) => kept,
        note: async (kept: object) => kept,
        pace: async (kept: object, next: Kept['paying']) => {
          paying = next;
          return kept;
        },
      },
      queuePlaces: new Map(),
      log: {
        livingOfVault: async () =>
          queue.map((index) => ({ name: 'RedeemRequest', contract: 'vault', args: { controller: holder(index) } })),
      },
      refusals: { note: async () => undefined },
      metrics: { transactions: { inc: () => undefined } },
      logger: { info: () => undefined, warn: () => undefined },
      now: () => 0,
    } as unknown as KeeperPorts;
    const { hasSent } = await redeemed(ports, { ...whole, paying: { fulfil: pace } }, 'fulfil');
    return { hasSent, asked, pace: paying?.fulfil, expires_at };
  }

  test('default: all are paid at once, and nothing is remembered', async () => {
    expect(await paidFor(null, [])).toMatchObject({ hasSent: true, asked: [[0, 1, 2, 3]], pace: null });
  });

  test('behavior: a payment may be offered more for several times before it is given up', async () => {
    expect((await paidFor(null, [])).expires_at).toBe(new Date(300_000).toISOString());
  });

  test('behavior: one that the chain would not pay does not keep the others from being paid', async () => {
    const { hasSent, asked, pace } = await paidFor(null, [0]);
    expect({ hasSent, asked }).toEqual({ hasSent: true, asked: [[0, 1, 2, 3], [0], [1]] });
    expect(pace).toEqual({ at_once: 1, after: holder(1) });
  });

  test('behavior: one at a time is paid, the one behind the last that was tried', async () => {
    const { asked, pace } = await paidFor({ at_once: 1, after: holder(2) }, []);
    expect({ asked, pace }).toEqual({ asked: [[3]], pace: { at_once: 1, after: holder(3) } });
    expect((await paidFor({ at_once: 1, after: holder(3) }, [])).asked).toEqual([[0]]);
  });

  test('error: where none can be paid alone it goes on behind them next time', async () => {
    const { hasSent, pace } = await paidFor(null, [0, 1, 2, 3]);
    expect({ hasSent, pace }).toEqual({ hasSent: false, pace: { at_once: 1, after: holder(3) } });
  });

  test('error: requests that together need too much gas are paid alone', async () => {
    const { asked, pace } = await paidFor(null, [], 101n);
    expect(asked.slice(0, 2)).toEqual([[0, 1, 2, 3], [0]]);
    expect(pace).toMatchObject({ at_once: 1 });
  });
});
