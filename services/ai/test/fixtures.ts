import { readFileSync } from 'node:fs';
import * as contracts from '@castellan/contracts';
import {
  type Caller,
  GetDrawdown,
  GetOperations,
  GetOverview,
  GetPerformance,
  GetPps,
  GetPpsWhatIf,
  GetRisk,
  GetUsers,
  ListFees,
  ListTransmissions,
  RunSimulation,
  type VaultDetail,
} from '@castellan/contracts';
import { aVault as aBareVault, anAddress } from '@castellan/testkit';
import { unitsOf } from '../src/context/extract.ts';
import { contextOf } from '../src/context/read-context.ts';
import type { Answers, VaultContext } from '../src/context/vault-context.ts';

/** Answers of the analytics service about a made-up vault, as it gave them, and the unit that each receipt names. */
const recorded = JSON.parse(readFileSync(new URL('answers.json', import.meta.url), 'utf8')) as {
  answers: Record<string, unknown>;
  receipt_units: Record<string, Record<string, string>>;
};
export const receiptUnits = recorded.receipt_units;
export const runAnswer = RunSimulation.result.parse(recorded.answers.run);

export const managerAddress = anAddress(0xb1);
export const caller: Caller = { wallet_address: managerAddress, sid: 's1', issuer: 'http://127.0.0.1:8080' };
export const chainId = 31337;
export const vaultAddress = anAddress(0xa001);

/** A vault with sources, fees and upkeep; the caller is its primary manager. */
export const aVault = (overrides: Partial<VaultDetail> = {}): VaultDetail =>
  aBareVault({
    vault_address: vaultAddress,
    block_number: 97,
    chain_time: '2026-09-03T22:29:50.000Z',
    last_pps_update_timestamp: '2026-09-03T21:29:03.000Z',
    last_oracle_update_timestamp: '2026-09-03T21:29:03.000Z',
    my_role: 'primary_manager',
    tvl_usd: 7714.176331935488,
    total_assets: '5490642016',
    free_assets: '1187384679',
    allocation: [
      aSource(0x5001, { name: 'Morpho Prime', assets: '2374769355', share: 0.5, usd: 3336.47, apy: 0.0712 }),
      aSource(0x5002, { name: 'Aave v3 USDC', assets: '1187384677', share: 0.25, usd: 1668.23, apy: 0.0433 }),
      aSource(0xa002, { name: 'Idle', kind: 'idle', assets: '1187384679', share: 0.25, usd: 1668.24, apy: null }),
    ],
    pending_performance_fee: {
      total: '11598865',
      protocol_share: '5799432',
      recipient_share: '5799433',
      profit_since_hwm: '115988650',
      can_skim: true,
      reason: null,
      can_skim_at: null,
    },
    upkeep_info: {
      balance: '1000000',
      token: anAddress(0xa5),
      symbol: 'UP',
      decimals: 6,
      enabled: true,
      threshold: { required_balance: '1000', shortfall: '0' },
      runway_seconds: 1_209_600,
      runway_worst_case_seconds: 604_800,
    },
    ...overrides,
  });

export const aSource = (
  n: number,
  overrides: Partial<VaultDetail['allocation'][number]>,
): VaultDetail['allocation'][number] => ({
  source_address: anAddress(n),
  name: 'A source',
  kind: 'source',
  oracle_address: null,
  assets: '0',
  usd: null,
  share: 0,
  apy: null,
  is_active: true,
  ...overrides,
});

const onTime: Answers['transmissions'] = ListTransmissions.result.parse({
  transmissions: [],
  total: 0,
  has_more: false,
  next_cursor: null,
  rounds: [],
  next: {
    due_at: '2026-09-03T22:59:03.000Z',
    late_by_seconds: null,
    reason: null,
    detail: null,
    silent_nodes: [],
    value_at_risk_usd: null,
    pps: null,
  },
});

/** Answers as recorded, parsed afresh so that a test may change them. */
export const someAnswers = (overrides: Partial<Answers> = {}): Answers => ({
  overview: GetOverview.result.parse(recorded.answers.overview),
  performance: GetPerformance.result.parse(recorded.answers.performance),
  risk: GetRisk.result.parse(recorded.answers.risk),
  users: GetUsers.result.parse(recorded.answers.users),
  operations: GetOperations.result.parse(recorded.answers.operations),
  fees: ListFees.result.parse(recorded.answers.fees),
  pps: GetPps.result.parse(recorded.answers.pps),
  whatIf: GetPpsWhatIf.result.parse(recorded.answers.whatIf),
  drawdown: GetDrawdown.result.parse(recorded.answers.drawdown),
  transmissions: structuredClone(onTime),
  ...overrides,
});

export const aContext = (detail: Partial<VaultDetail> = {}, answers: Partial<Answers> = {}): VaultContext => {
  const vault = aVault(detail);
  return contextOf(vault, unitsOf(vault, 'ETH'), someAnswers(answers));
};

/** What a user's envelope has to allow for an action; undefined where it takes none. */
export const scopeOf = (name: string) =>
  Object.values<unknown>(contracts)
    .map((exported) => exported as Partial<contracts.Action> | undefined)
    .find((exported) => exported?.name === name && exported.callers)?.callers?.user;
