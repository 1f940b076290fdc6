import type { Reward } from '../src/strategies/rewards.ts';
import type { Fields, Shard, Strategy } from '../src/strategies/types.ts';
import { anAddress } from './builders.ts';

const at = '2026-01-01T00:00:00.000Z';
export const source = anAddress(0x30);
export const sourceName = 'Morpho Prime';

export const allocation = [
  {
    source_address: source,
    name: sourceName,
    kind: 'source' as const,
    oracle_address: null,
    assets: '8000000000',
    usd: 8_000,
    share: 0.8,
    apy: 0.05,
    is_active: true,
  },
];

type Parts = Omit<Partial<Strategy>, 'action_config'> & { action_config?: Partial<Strategy['action_config']> };

/** A strategy as its managers see it. */
export const aStrategy = ({ action_config, ...parts }: Parts = {}): Strategy => ({
  id: 'idle-in',
  vault_id: `31337:${anAddress(1)}`,
  kind: 'USER_DEFINED',
  state: 'IDLE',
  lane: 'DEPOSIT',
  priority: 1,
  version: 3,
  name: 'Put idle cash to work',
  indicators: [],
  rules: { type: 'AND', children: [{ type: 'EXPR', expr: 'vault_free_assets > 1000000' }] },
  conviction_config: { mode: 'BINARY', required_ticks: 1 },
  action_config: {
    action: 'DEPOSIT',
    objective: 'BALANCED',
    execution_name: 'Deposit',
    target_type: 'yield_source',
    execution_params: {},
    max_slippage_bps: 50,
    max_duration_seconds: 60,
    allow_order_splitting: false,
    venue_allowlist: [],
    venue_blocklist: [],
    merkle_hook_descriptor: null,
    merkle_global_descriptor: null,
    reason: null,
    size_expr: 'vault_free_assets / 2',
    execution_address: anAddress(0x50),
    target_address: source,
    from_address: null,
    ...action_config,
  },
  risk_params: { max_amount: null, min_free_assets: null },
  max_concurrent: 1,
  cooldown_ms: 0,
  is_redacted: false,
  spelling: {},
  written_in: 'units',
  error: null,
  armed: null,
  warnings: [],
  created_at: at,
  created_by: anAddress(0x10),
  updated_at: at,
  updated_by: anAddress(0x10),
  ...parts,
});

export const anExit = (parts: Parts = {}): Strategy =>
  aStrategy({
    id: 'exit-1',
    kind: 'EMERGENCY_EXIT',
    lane: 'WITHDRAWAL',
    name: `Emergency exit from ${sourceName}`,
    ...parts,
    action_config: { action: 'WITHDRAWAL', execution_address: null, ...parts.action_config },
  });

export const aShard = (parts: Partial<Shard> = {}): Shard => ({
  vault_id: `31337:${anAddress(1)}`,
  strategy_count: 1,
  active_intent_count: 0,
  tick_interval_seconds: 15,
  block_number: 100,
  fields: {},
  strategies: [],
  emergency_locks: [],
  ...parts,
});

export const someFields = (values: Record<string, string | null>): Fields => ({
  vault_id: `31337:${anAddress(1)}`,
  block_number: 100,
  t: at,
  fields: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, block_number: 100 }])),
});

/** What the source of `allocation` pays beside its yield. */
export const reward: Reward = {
  source_address: source,
  distributor: anAddress(0x60),
  token: anAddress(0x61),
  symbol: 'PRIME',
  decimals: 18,
  pool: anAddress(0x62),
};

export const listOf = (strategies: readonly Strategy[]) => async () => ({
  strategies,
  total: strategies.length,
  has_more: false,
  next_cursor: null,
});
