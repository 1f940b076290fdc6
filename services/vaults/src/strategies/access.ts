import { AppError, type Caller, isWithinBinding, type Role } from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import type { Mandates } from '../mandates/mandates.mongo.ts';
import type { Snapshot } from '../vault/adapters/snapshot-store.mongo.ts';
import { type RoleSource, requireRoleOn, roleOn, sharedAmong } from '../vault/use-cases/require-role.ts';
import { requireVault } from '../vault/use-cases/vault-view.ts';
import type { FactsReader } from './adapters/facts-reader.ts';
import type { RunStore } from './adapters/runs.mongo.ts';
import type { SimulationStore, StrategyStore, VaultKey } from './adapters/strategies.mongo.ts';
import type { TargetStore } from './adapters/targets.mongo.ts';
import type { KeeperRecord } from './domain/keeper-record.ts';
import type { AuditEvent, StrategyDocument } from './domain/strategy.ts';
import type { IntentStore } from './intents/store.mongo.ts';

/** What the keeper of a chain last reported of itself; `balance` in wei. */
export type KeeperReport = {
  address: string;
  is_running: boolean;
  block_number: number;
  last_pass_at: string;
  balance: string;
};

export type StrategyPorts = RoleSource & {
  strategies: StrategyStore;
  simulations: SimulationStore;
  intents: IntentStore;
  targets: TargetStore;
  mandates: Pick<Mandates, 'inForce'>;
  /** What the keeper made of each strategy. */
  runs: Pick<RunStore, 'ofVault'>;
  /** The keeper of a chain as it last reported; null before one did. */
  keeper: (chainId: number) => Promise<KeeperReport | null>;
  /** What the keeper did, and what it refused. */
  record: KeeperRecord;
  /** Requests to redeem of a vault that wait now. */
  waitingRequests: (chainId: number, vault: string) => Promise<number>;
  facts: FactsReader;
  /** Milliseconds since the epoch. */
  now: () => number;
  newId: () => string;
};

export type VaultRefParams = { chain_id: number; vault_address: string };
export const keyOf = ({ chain_id, vault_address }: VaultRefParams): VaultKey => ({
  chainId: chain_id,
  vault: vault_address,
});
export const vaultIdOf = (chainId: number, vault: string): string => `${chainId}:${getAddress(vault)}`;

/** The vault and the caller's role on it; null for the public and for wallets without one. */
export async function visit(
  ports: StrategyPorts,
  ref: VaultRefParams,
  caller: Caller | undefined,
): Promise<{ snapshot: Snapshot; role: Role | null }> {
  const snapshot = await requireVault(ports, ref.chain_id, ref.vault_address);
  return { snapshot, role: await roleOn(ports.directory, snapshot, caller) };
}

/** @throws AppError ROLE_REQUIRED for anybody without a role on the vault; TOKEN_MISSING; VAULT_NOT_FOUND. */
export const requireReader = (ports: StrategyPorts, ref: VaultRefParams, caller: Caller | undefined) =>
  requireRoleOn(ports, ref, caller, {
    least: 'view_only',
    message: 'Only people with a role on this vault can see this. Ask its primary manager for access.',
  });

/** A read whose answer is the same for everybody with a role on the vault. @throws AppError as {@link requireReader}. */
export const forReaders = <P extends VaultRefParams, R>(
  ports: StrategyPorts,
  read: (params: P, snapshot: Snapshot) => Promise<R>,
) => sharedAmong((params: P, caller) => requireReader(ports, params, caller), read);

/** @throws AppError ROLE_REQUIRED for anybody but a manager of the vault; TOKEN_MISSING; VAULT_NOT_FOUND. */
export const requireWriter = (ports: StrategyPorts, ref: VaultRefParams, caller: Caller | undefined) =>
  requireRoleOn(ports, ref, caller, {
    least: 'secondary_manager',
    message: 'Only a primary_manager or secondary_manager of this vault can do this.',
  });

/** What is found by its id alone hides its vault from the gateway: a token for another vault sees what the public sees. */
export const withinBinding = (
  caller: Caller | undefined,
  of: { chain_id: number; vault: string },
): Caller | undefined =>
  isWithinBinding(caller, { chain_id: of.chain_id, vault_address: of.vault }) ? caller : undefined;

export const refOf = ({ chain_id, vault_address }: { chain_id: number; vault_address: string }): VaultRefParams => ({
  chain_id,
  vault_address,
});

/** @throws AppError STRATEGY_NOT_FOUND. */
export async function requireStrategy(ports: StrategyPorts, id: string): Promise<StrategyDocument> {
  const document = await ports.strategies.get(id);
  if (!document)
    throw new AppError('STRATEGY_NOT_FOUND', 'There is no strategy of this id. Check it, or list those of the vault.');
  return document;
}

/** @throws AppError ROLE_REQUIRED when the token is for another vault or chain. */
export function requireBinding(caller: Caller | undefined, of: { chain_id: number; vault: string }): void {
  if (!isWithinBinding(caller, { chain_id: of.chain_id, vault_address: of.vault }))
    throw new AppError('ROLE_REQUIRED', 'This token is for another vault or chain. Sign in without that limit.');
}

/** An audit row of a write; its id is new, for every write is one. */
export const auditRow = (
  ports: Pick<StrategyPorts, 'newId' | 'now'>,
  of: VaultRefParams,
  written: { action_type: string; wallet: string; details: Record<string, unknown>; requestId: string | undefined },
): AuditEvent => ({
  id: `strategy:${ports.newId()}`,
  timestamp: new Date(ports.now()).toISOString(),
  category: 'write',
  action_type: written.action_type,
  vault_address: getAddress(of.vault_address),
  chain_id: of.chain_id,
  actor_wallet: getAddress(written.wallet),
  details: written.details,
  tx_hash: null,
  request_id: written.requestId ?? null,
});
