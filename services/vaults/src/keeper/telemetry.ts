import { Counter, Gauge, type Registry } from '@castellan/service-kit';
import type { SendClass } from '@castellan/transactor';
import { rpcMetrics } from '../chains/telemetry.ts';

/** What nodes answer to a transaction, as results of `keeper_transactions_total`. */
export const sendAnswers = {
  accepted: 'accepted',
  nonce_too_low: 'nonce_used',
  nonce_gap: 'nonce_gap',
  underpriced: 'underpriced',
  insufficient_funds: 'no_funds',
  fee_above_node_limit: 'fee_above_node_limit',
  unavailable: 'unavailable',
  fatal: 'refused',
  unknown: 'refused',
} as const satisfies Record<SendClass, string>;
export type SendAnswer = (typeof sendAnswers)[SendClass];

/** Metrics of the keeper. All but the RPC's are of the instance that holds a chain's lease. */
export function keeperMetrics(registry: Registry) {
  const registers = [registry];
  const chain = ['chain_id'] as const;
  return {
    holdsLease: new Gauge({
      name: 'keeper_holds_lease',
      help: '1 while this instance is the keeper of the chain',
      labelNames: chain,
      registers,
    }),
    ticks: new Counter({
      name: 'keeper_ticks_total',
      help: 'Looks at a running strategy, by what came of them',
      labelNames: ['chain_id', 'outcome'],
      registers,
    }),
    intents: new Counter({
      name: 'keeper_intents_total',
      help: 'Intents of strategies, by the state they ended in',
      labelNames: ['chain_id', 'state', 'code'],
      registers,
    }),
    transactions: new Counter({
      name: 'keeper_transactions_total',
      help: 'Transactions by kind and result: sent, replaced, mined, reverted, lost, refused',
      labelNames: ['chain_id', 'kind', 'result'],
      registers,
    }),
    open: new Gauge({
      name: 'keeper_open_transactions',
      help: 'Transactions that are sent and not settled',
      labelNames: chain,
      registers,
    }),
    balance: new Gauge({
      name: 'keeper_balance_wei',
      help: "Balance of the keeper's key in the native coin",
      labelNames: ['chain_id', 'address'],
      registers,
    }),
    lag: new Gauge({
      name: 'keeper_snapshot_lag_seconds',
      help: 'Chain seconds between the head and the snapshot that decisions are made on',
      labelNames: chain,
      registers,
    }),
    lastPass: new Gauge({
      name: 'keeper_last_pass_timestamp_seconds',
      help: 'When the last pass over a chain ended well',
      labelNames: chain,
      registers,
    }),
    ...rpcMetrics(registers),
  };
}
export type KeeperMetrics = ReturnType<typeof keeperMetrics>;
