import type { Api } from '../client/api.ts';
import type { Vault } from '../data/queries.ts';
import type { Tone } from '../design/pill.tsx';
import { shortHex } from '../format/address.ts';

export type Strategy = Awaited<ReturnType<Api['listStrategies']>>['strategies'][number];
export type Lane = Strategy['lane'];
export type StrategyState = Strategy['state'];
export type Action = Strategy['action_config']['action'];
export type Shard = Awaited<ReturnType<Api['engineShard']>>;
export type Lock = Shard['emergency_locks'][number];
export type Engine = Awaited<ReturnType<Api['engineVault']>>;
export type Keeper = NonNullable<Engine['keeper']>;
export type Fields = Awaited<ReturnType<Api['engineFields']>>;
/** Rules, sizes and limits are there: the caller has a role on the vault. */
export type OpenStrategy = Strategy & {
  [Key in 'indicators' | 'rules' | 'conviction_config' | 'risk_params']: NonNullable<Strategy[Key]>;
};
export const isOpen = (strategy: Strategy): strategy is OpenStrategy =>
  strategy.rules !== null &&
  strategy.indicators !== null &&
  strategy.conviction_config !== null &&
  strategy.risk_params !== null;

/** As they stand on the canvas and in lists. */
export const laneOrder: readonly Lane[] = ['REBALANCE', 'WITHDRAWAL', 'DEPOSIT'];
export const laneWords: Readonly<Record<Lane, { title: string; about: string }>> = {
  REBALANCE: { title: 'Rebalance', about: 'Between sources' },
  WITHDRAWAL: { title: 'Outflow', about: 'Out of sources, into idle assets' },
  DEPOSIT: { title: 'Inflow', about: 'Idle assets into sources' },
};

export const stateWords: Readonly<Record<StrategyState, { word: string; tone: Tone }>> = {
  CREATED: { word: 'Created', tone: 'plain' },
  IDLE: { word: 'Idle', tone: 'plain' },
  RUNNING: { word: 'Running', tone: 'ok' },
  ERROR: { word: 'Error', tone: 'critical' },
  ARCHIVED: { word: 'Archived', tone: 'plain' },
};

export const actionWords: Readonly<Record<Action, string>> = {
  DEPOSIT: 'Deposit',
  WITHDRAWAL: 'Withdrawal',
  CLAIM: 'Claim',
  REBALANCE: 'Rebalance',
  SWAP: 'Swap',
  BRIDGE: 'Bridge',
};

export type Role = 'primary_manager' | 'secondary_manager' | 'view_only' | null;
export const mayWrite = (role: Role): boolean => role === 'primary_manager' || role === 'secondary_manager';

export type Source = Vault['allocation'][number];
export const sourcesOf = ({ allocation }: Pick<Vault, 'allocation'>): Source[] =>
  allocation.filter(({ kind }) => kind === 'source');
export const sourceAt = (vault: Pick<Vault, 'allocation'>, address: string): Source | undefined =>
  sourcesOf(vault).find(({ source_address }) => source_address.toLowerCase() === address.toLowerCase());
/** The name of a source of the vault; of any other address its short form. */
export const nameAt = (vault: Pick<Vault, 'allocation'>, address: string): string =>
  sourceAt(vault, address)?.name ?? shortHex(address);

/** The source it concerns, or from which it goes into which. */
export const sourcesText = (
  vault: Pick<Vault, 'allocation'>,
  { from, target }: { from: string | null | undefined; target: string },
): string => (from ? `${nameAt(vault, from)} → ${nameAt(vault, target)}` : nameAt(vault, target));

export const isLive = ({ state }: Strategy): boolean => state !== 'ARCHIVED';
/** Emergency exits are the system's own; they are shown on the Pause page. */
export const isOwn = ({ kind }: Strategy): boolean => kind === 'USER_DEFINED';
