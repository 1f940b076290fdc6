import type { Caller, EventData, ProjectionMoved, Route, Sharing, VaultUpdate } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import { jsonSnapshot, type Snapshot, type Snapshots } from '../cache/snapshots.ts';
import { viewerOf } from './authorize.ts';

export type VaultParams = { chain_id: number; vault_address: string };

/** The key that identifies a vault in events; addresses come EIP-55 from every side. */
export const vaultKeyOf = ({ chain_id, vault_address }: VaultParams): string =>
  `${chain_id}:${vault_address.toLowerCase()}`;

/** What is made of the state of all vaults. */
export const allVaults = 'vaults';
/** The pages of vaults at an address, on whatever chain. */
export const pagesOf = (address: string): string => `pages ${address.toLowerCase()}`;
const projectionOf = ({ chain_id }: Pick<VaultParams, 'chain_id'>): string => `projection ${chain_id}`;

/** Something about a vault changed. */
export function vaultChanged(snapshots: Snapshots, update: VaultUpdate): void {
  // Alerts name the block they are about, not one that the vault is read at.
  const isReading = update.entry !== undefined || update.detail !== undefined;
  snapshots.invalidate(vaultKeyOf(update), isReading ? update.block_number : undefined);
  snapshots.invalidate(allVaults);
  snapshots.invalidate(pagesOf(update.vault_address));
}

/** Analytics answers as of another block. */
export function projectionMoved(snapshots: Snapshots, move: EventData<typeof ProjectionMoved>): void {
  snapshots.invalidate(projectionOf(move), move.block_number);
}

const subjects: Readonly<Record<Sharing['from'], (params: VaultParams) => string>> = {
  vault: vaultKeyOf,
  vaults: () => allVaults,
  projection: projectionOf,
};

/** The block of an answer that is as new as can be; undefined for one about a moment that was asked for. */
function blockOf(params: unknown, body: unknown): number | undefined {
  const { at, block, cursor } = params as Readonly<Record<string, unknown>>;
  if ([at, block, cursor].some((each) => each !== undefined)) return undefined;
  const { block_number } = (body ?? {}) as { block_number?: unknown };
  return typeof block_number === 'number' ? block_number : undefined;
}

/**
 * The answer of a route that is the same for others too; what its token leaves out has been refused to the caller before.
 * @throws Error for a route that does not say that it is shared.
 */
export function readShared(
  { callAction, snapshots }: { callAction: CallAction; snapshots: Snapshots },
  { id, status, sharing, action }: Route,
  params: unknown,
  caller: Caller | undefined,
): Promise<Snapshot> {
  if (sharing === undefined || action === undefined) throw new Error(`The route ${id} is not shared.`);
  const forCaller = sharing.with === 'caller';
  const viewer = forCaller ? viewerOf(caller) : 'everybody';
  return snapshots.get(
    JSON.stringify([id, viewer, params]),
    subjects[sharing.from](params as VaultParams),
    async () => {
      const body = await callAction(action, params, { caller: forCaller ? caller : undefined });
      return { ...jsonSnapshot(body, status), block: blockOf(params, body) };
    },
  );
}
