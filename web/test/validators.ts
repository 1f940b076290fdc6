import {
  GetValidatorHistory,
  GetValidatorRound,
  GetValidators,
  ListTransmissions,
  ListValidatorRounds,
} from '@castellan/contracts';
import type { History, RoundDetail, RoundsPage } from '../src/validators/history/history.ts';
import type { Network, Pricing, Round, Transmission } from '../src/validators/network.ts';
import { anAddress } from './builders.ts';

const hash = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`;
const minute = (number: number): string => `2026-01-01T12:${String(number).padStart(2, '0')}:00.000Z`;

const aNode = (index: number): Network['nodes'][number] => ({
  index,
  node_id: `oracle-${index}`,
  signer_address: anAddress(0x50 + index),
  transmitter_address: anAddress(0x60 + index),
  status: 'ok',
  observed: 2,
  signed: index < 3 ? 1 : 0,
  led: index === 0 ? 2 : 0,
  transmitted: 5,
  last_seen: minute(9),
});

/** A round that agreed on the price of the vault `aVault` makes; all four saw it, the first three signed. */
export const aRound = (parts: Partial<Round> = {}): Round => ({
  epoch: 1,
  round: 7,
  leader: 0,
  outcome: 'report',
  observers: [0, 1, 2, 3],
  signers: [0, 1, 2],
  missing: [],
  prices: [{ chain_id: 31337, strategy_address: anAddress(2), nonce: '7', report_timestamp: minute(8) }],
  finished_at: minute(8),
  ...parts,
});

export const aTransmission = (parts: Partial<Transmission> = {}): Transmission => ({
  chain_id: 31337,
  strategy_address: anAddress(2),
  vault_address: anAddress(1),
  pps: '1042317',
  report_timestamp: minute(8),
  transmitter: anAddress(0x61),
  signers: [anAddress(0x50), anAddress(0x51), anAddress(0x52)],
  tx_hash: hash(7),
  status: 'success',
  reason: null,
  epoch: 1,
  round: 7,
  node_id: 'oracle-1',
  t: minute(9),
  ...parts,
});

const skipped = { round: 8, outcome: 'skip', signers: [], prices: [], finished_at: minute(9) } as const;

export const aNetwork = (parts: Partial<Network> = {}): Network =>
  GetValidators.result.parse({
    config: {
      chain_id: 31337,
      version: '1',
      digest: hash(0xca),
      quorum: 3,
      f: 1,
      round_seconds: 10,
      heartbeat_seconds: 60,
      since: minute(0),
    },
    nodes: [0, 1, 2, 3].map(aNode),
    rounds_counted: 2,
    rounds: [aRound({ ...skipped, signers: [], prices: [] }), aRound()],
    transmissions: [aTransmission()],
    incidents: [],
    as_of: minute(10),
    ...parts,
  });

/** The network with some of its nodes not heard since 12:04. */
export const withSilent = (silent: readonly number[], parts: Partial<Network> = {}): Network =>
  aNetwork({
    nodes: [0, 1, 2, 3].map((index) => ({
      ...aNode(index),
      ...(silent.includes(index) ? { status: 'silent', last_seen: minute(4) } : {}),
    })),
    incidents: silent.map((index) => ({
      kind: 'node_silent',
      since: minute(4),
      node_index: index,
      vaults: [],
      value_at_risk_usd: 0,
      reason: `oracle-${index} is in none of the last rounds.`,
    })),
    ...parts,
  });

const inTime: Pricing['next'] = {
  due_at: '2026-01-01T00:01:20.000Z',
  late_by_seconds: null,
  reason: null,
  detail: null,
  silent_nodes: [],
  value_at_risk_usd: null,
  pps: '1042317',
};

export const aPricing = ({ next = {}, ...parts }: Partial<Omit<Pricing, 'next'>> & { next?: object } = {}): Pricing =>
  ListTransmissions.result.parse({
    transmissions: [aTransmission()],
    total: 1,
    has_more: false,
    next_cursor: null,
    rounds: [aRound()],
    next: { ...inTime, ...next },
    ...parts,
  });

const sent = {
  chain_id: 31337,
  transactions: 5,
  stored: 4,
  failed: 1,
  not_needed: 0,
  with_receipt: 4,
  gas_used: '400000',
  fee: '500000000000000000',
};

export const aHistory = (parts: Partial<History> = {}): History =>
  GetValidatorHistory.result.parse({
    from: '2025-12-31T13:00:00.000Z',
    to: minute(10),
    bucket_seconds: 3_600,
    since: '2026-01-01T10:00:00.000Z',
    buckets: [
      {
        t: '2026-01-01T11:00:00.000Z',
        rounds: 10,
        reports: 2,
        lost: 1,
        observed: 39,
        possible: 40,
        late: 1,
        round_ms: { n: 10, mean: 800, max: 1_200 },
        lag_ms: { n: 40, mean: 20, max: 40 },
        spread_ppb: null,
        prices: 2,
        sent: [sent],
        balances: [{ signer_address: anAddress(0x50), chain_id: 31337, balance: '6000000000000000000' }],
      },
    ],
    nodes: [
      {
        index: 0,
        node_id: 'oracle-0',
        signer_address: anAddress(0x50),
        transmitter_address: anAddress(0x60),
        rounds: 10,
        observed: 9,
        missed: 1,
        reports: 2,
        signed: 2,
        led: 10,
        late: 1,
        dropped: 0,
        lag_ms: { n: 10, mean: 20, max: 40 },
        deviation_ppb: null,
        sent: [{ ...sent, balance: '6000000000000000000', runway_days: 12.5 }],
      },
    ],
    vaults: [
      {
        chain_id: 31337,
        strategy_address: anAddress(2),
        vault_address: anAddress(1),
        name: 'USDC Core',
        prices: 2,
        observers: { n: 2, mean: 4, max: 4 },
        signers: { n: 2, mean: 3, max: 3 },
        spread_ppb: null,
        stored: 4,
        refused: 1,
        not_needed: 0,
        delay_ms: { n: 4, mean: 4_000, max: 9_000 },
        longest_gap_seconds: 75,
        late: 0,
        sent: [sent],
      },
    ],
    rounds: [{ ...aRound(), config_digest: hash(0xca) }],
    rounds_kept_days: 14,
    as_of: minute(10),
    ...parts,
  });

export const aListedRound = (parts: Partial<RoundsPage['rounds'][number]> = {}): RoundsPage['rounds'][number] => ({
  ...aRound(),
  config_digest: hash(0xca),
  late: [],
  started_at: minute(7),
  ...parts,
});

export const aRoundsPage = (parts: Partial<RoundsPage> = {}): RoundsPage =>
  ListValidatorRounds.result.parse({
    rounds: [aListedRound()],
    total: 1,
    has_more: false,
    next_cursor: null,
    kept_days: 14,
    as_of: minute(10),
    ...parts,
  });

export const aRoundDetail = (parts: Partial<RoundDetail> = {}): RoundDetail =>
  GetValidatorRound.result.parse({
    ...aRound({ observers: [0, 1, 2], missing: [3] }),
    config_digest: hash(0xca),
    started_at: minute(7),
    nodes: [0, 1, 2, 3].map((index) => ({
      index,
      node_id: `oracle-${index}`,
      signer_address: anAddress(0x50 + index),
      transmitter_address: anAddress(0x60 + index),
      reported_at: minute(8),
    })),
    dropped: [{ observer: 3, reason: 'late' }],
    prices: [
      {
        ...aRound().prices[0],
        pps: '1000000',
        observed: [
          { observer: 0, pps: '1000000' },
          { observer: 1, pps: '1000002' },
        ],
        vault_address: anAddress(1),
        vault_name: 'USDC Core',
        asset_symbol: 'USDC',
        asset_decimals: 6,
        spread_ppb: 2_000,
      },
    ],
    transactions: [
      {
        chain_id: 31337,
        node_id: 'oracle-1',
        node_index: 1,
        transmitter_address: anAddress(0x61),
        tx_hash: hash(7),
        state: 'stored',
        reason: null,
        sent_at: minute(8),
        mined_at: minute(9),
        ended_at: minute(9),
        block_number: 12,
        gas_used: '84000',
        gas_price: '1000000000',
        fee: '84000000000000',
        balance_after: null,
      },
    ],
    transmissions: [],
    kept_days: 14,
    as_of: minute(10),
    ...parts,
  });
