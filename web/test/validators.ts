import { GetValidators, ListTransmissions } from '@castellan/contracts';
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
