import type { ChainEvent, ChainRecord, Contract } from './chain-record.ts';
import type { Observation } from './prices.ts';

export const zero = `0x${'0'.repeat(40)}`;
export const ann = '0xaaa';
export const ben = '0xbbb';
export const cleo = '0xccc';
export const start = 1_000_000n;

export const observation = (day: number, value: bigint): Observation => ({
  time: start + BigInt(Math.round(day * 86_400)),
  pps: value,
  hwm: value,
  net: { over: value, under: 1n },
  forgiven: { over: 1n, under: 1n },
  skimmed: { over: 1n, under: 1n },
  source: 'oracle',
  block: 0n,
  logIndex: 0,
  tx: '0x',
});

let count = 0;
/** One event in a transaction and block of its own, `day` days after the creation. */
export const event = (contract: Contract, day: number, name: string, args: Record<string, unknown>): ChainEvent => {
  count += 1;
  const time = start + BigInt(Math.round(day * 86_400));
  return { contract, name, args, time, block: time, tx: `0x${count}`, logIndex: 0 };
};

/** A record of a six-decimals vault that exists since `start`; its feed has 8. */
export function aRecord(day: number, events: ChainEvent[], overrides: Partial<ChainRecord> = {}): ChainRecord {
  const time = start + BigInt(day * 86_400);
  const created = event('aggregator', 0, 'VaultDeployed', {});
  const first = event('aggregator', 0, 'PPSUpdated', { pps: 1_000_000n, timestamp: start });
  return {
    deployment: {
      vault: '0x1',
      strategy: '0x2',
      escrow: '0xe5c',
      asset: '0x4',
      governor: '0x9',
      aggregator: '0x5',
      oracle: '0x6',
      priceFeed: '0x7',
      nativeFeed: '0x8',
      benchmarkFeed: '0xbe',
      benchmark: { name: 'Overnight rate', version: '1' },
      startBlock: 0n,
    },
    block: time,
    time,
    createdTx: created.tx,
    events: [created, { ...first, tx: created.tx }, ...events],
    costs: new Map([created, ...events].map(({ tx }) => [tx, { from: '0xdep', gasUsed: 100_000n, price: 2_000n }])),
    terms: {
      performanceFeeBps: 1_500n,
      minUpdateInterval: 60n,
      maxStaleness: 3_600n,
      feeRecipient: '0xfee',
      primaryManager: '0xman',
      secondaryManagers: [],
    },
    precision: 1_000_000n,
    feedScale: 100_000_000n,
    nativeScale: 100_000_000n,
    benchmarkScale: 100_000_000n,
    ...overrides,
  };
}

export const transfer = (day: number, from: string, to: string, value: bigint) =>
  event('vault', day, 'Transfer', { from, to, value });
export const mint = (day: number, to: string, value: bigint) => transfer(day, zero, to, value);
export const price = (day: number, dollars: number) =>
  event('feed', day, 'AnswerUpdated', {
    current: BigInt(Math.round(dollars * 1e8)),
    roundId: 1n,
    updatedAt: start + BigInt(Math.round(day * 86_400)),
  });
