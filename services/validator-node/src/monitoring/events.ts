import type { Address, Hex } from 'viem';
import type { ProtocolEvent } from '../ports.ts';

export const transmitStatuses = ['success', 'failure', 'error', 'superseded', 'skipped'] as const;
export type TransmitStatus = (typeof transmitStatuses)[number];

export const txChanges = ['broadcast', 'replaced', 'confirmed', 'finalized', 'reverted', 'reorged', 'stuck'] as const;
export type TxChange = (typeof txChanges)[number];

export const messageResults = [
  'ok',
  'bad_signature',
  'wrong_digest',
  'wrong_sender',
  'wrong_recipient',
  'wrong_epoch',
  'duplicate',
  'replayed',
  'oversized',
  'rate_limited',
  'overflow',
  'malformed',
  'unexpected',
] as const;
export type MessageResult = (typeof messageResults)[number];

/** What no honest peer causes in good order: somebody else writes to its subjects, or it is faulty. */
export const refusedResults = [
  'bad_signature',
  'wrong_digest',
  'wrong_sender',
  'wrong_recipient',
  'replayed',
  'oversized',
  'rate_limited',
  'malformed',
] as const satisfies readonly MessageResult[];

/** Events of the parts around the protocol: metrics and bus events are made from it. */
export type NodeEvent =
  | ProtocolEvent
  | { type: 'strategy_observed'; chainId: number; strategy: Address | null; result: 'success' | 'error' | 'skipped' }
  | { type: 'strategy_insufficient'; chainId: number; strategy: Address | null }
  | { type: 'pps_deviation'; chainId: number; strategy: Address; ppb: number }
  | { type: 'pps_fetched'; chainId: number; result: 'success' | 'error' | 'zero'; seconds: number }
  | { type: 'signed'; kind: 'onchain' | 'offchain'; result: 'success' | 'error'; seconds: number }
  /** The newest PPSValidated of the canonical chain; chain seconds. A reorg may move it back, to null when none is left. */
  | { type: 'price_validated'; chainId: number; strategy: Address; blockSeconds: number | null; headSeconds: number }
  | { type: 'config_active'; digest: Hex; version: bigint; signers: number; f: number; firstAfterStart: boolean }
  | { type: 'config_refused'; reason: 'reorg' | 'parse' | 'reload' }
  /** Conflicting signatures that the store holds of the configuration that begins to run. */
  | { type: 'evidence_kept'; counts: ReadonlyMap<Address, number> }
  | { type: 'pack_failed'; chainId: number }
  /** One intent reached its end; `seconds` from its stage to the known outcome. */
  | { type: 'transmit_finished'; chainId: number; status: TransmitStatus; seconds: number }
  | { type: 'transmit_submitted'; chainId: number; strategies: number }
  | { type: 'strategy_rejected'; chainId: number; reason: RejectReason }
  | { type: 'tx'; chainId: number; change: TxChange }
  | { type: 'tx_pending'; chainId: number; count: number }
  | { type: 'transmitter_balance'; chainId: number; wei: bigint }
  /** `rpc` is its place in the configuration, never its URL. */
  | { type: 'rpc_request'; chainId: number; rpc: number; result: 'success' | 'error' }
  | { type: 'rpc_head'; chainId: number; rpc: number; block: bigint; lagSeconds: number }
  | { type: 'transport_message'; from: number; result: MessageResult }
  | { type: 'bus_connection'; up: boolean }
  | { type: 'database'; up: boolean };

export const rejectReasons = ['bad_proof', 'paused', 'stale', 'too_soon', 'deviation', 'unfunded', 'other'] as const;
export type RejectReason = (typeof rejectReasons)[number];
