import type {
  Caller,
  EventData,
  ProjectionMoved,
  RolesChanged,
  Route,
  Sharing,
  VaultUpdate,
} from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import { jsonSnapshot, type Snapshot, type Snapshots, type SubjectBlock } from '../cache/snapshots.ts';
import { viewerOf } from './authorize.ts';
import type { ReadsTogether } from './read-together.ts';

export type VaultParams = { chain_id: number; vault_address: string };

/** The key that identifies a vault in events; addresses come EIP-55 from every side. */
export const vaultKeyOf = ({ chain_id, vault_address }: VaultParams): string =>
  `${chain_id}:${vault_address.toLowerCase()}`;

/** What is made of the state of all vaults. */
export const allVaults = 'vaults';
/** The pages of vaults at an address, on whatever chain. */
export const pagesOf = (address: string): string => `pages ${address.toLowerCase()}`;
const projectionOf = ({ chain_id }: Pick<VaultParams, 'chain_id'>): string => `projection ${chain_id}`;

function invalidateVault(snapshots: Snapshots, vault: VaultParams, block?: number): void {
  snapshots.invalidate(vaultKeyOf(vault), block);
  snapshots.invalidate(allVaults);
  snapshots.invalidate(pagesOf(vault.vault_address));
}

/** Somebody wrote by way of this gateway: they read their own change, though what they write about is kept for a moment. */
export function vaultWritten(snapshots: Snapshots, params: unknown): void {
  const { chain_id, vault_address } = (params ?? {}) as Partial<VaultParams>;
  if (typeof chain_id === 'number' && typeof vault_address === 'string')
    snapshots.invalidate(vaultKeyOf({ chain_id, vault_address }));
}

/** An update, of which `detail` and `entry` are there or not, whatever they hold. */
export type NamedUpdate = Pick<VaultUpdate, 'chain_id' | 'vault_address' | 'kind' | 'block_number'> & {
  detail?: unknown;
  entry?: unknown;
};

/** Something about a vault changed. */
export function vaultChanged(snapshots: Snapshots, update: NamedUpdate): void {
  // Alerts name the block they are about, not one that the vault is read at.
  const isReading = update.entry !== undefined || update.detail !== undefined;
  invalidateVault(snapshots, update, isReading ? update.block_number : undefined);
}

/** A role on a vault may have begun or ended; of what happened long ago there is no other event. */
export function rolesChanged(snapshots: Snapshots, change: EventData<typeof RolesChanged>): void {
  invalidateVault(snapshots, change, change.block_number);
}

/** Analytics answers as of another block. */
export function projectionMoved(snapshots: Snapshots, move: EventData<typeof ProjectionMoved>): void {
  snapshots.invalidate(projectionOf(move), move.block_number);
}

const subjects: Readonly<Record<Sharing['from'], (params: VaultParams) => string>> = {
  vault: vaultKeyOf,
  vaults: () => allVaults,
  projection: projectionOf,
  // Nothing is published about it.
  time: () => 'time',
};

type Shown = VaultParams & { block_number?: unknown };

/** What an answer shows as new as can be, and at which block; nothing for one about a moment that was asked for. */
function blocksOf({ from }: Sharing, params: unknown, body: unknown): SubjectBlock[] {
  const { at, block, cursor } = params as Readonly<Record<string, unknown>>;
  if (from === 'time' || [at, block, cursor].some((each) => each !== undefined)) return [];
  const { block_number } = (body ?? {}) as { block_number?: unknown };
  // A list of vaults names each with its block, any other answer is of the vault that was asked for.
  const shown: Shown[] = Array.isArray(body) ? body : [{ ...(params as VaultParams), block_number }];
  const subjectOf = from === 'projection' ? projectionOf : vaultKeyOf;
  return shown.flatMap((vault) =>
    typeof vault.block_number === 'number' ? [[subjectOf(vault), vault.block_number] as const] : [],
  );
}

/** Whether what this caller is answered may be kept. */
export const isShared = ({ sharing }: Pick<Route, 'sharing'>, caller: Caller | undefined): boolean =>
  sharing !== undefined && (sharing.with !== 'public' || caller === undefined);

/**
 * The answer of a route that is the same for others too; what its token leaves out has been refused to the caller before.
 * @throws Error for a route that does not say that it is shared, or not with this caller.
 */
export function readShared(
  { callAction, snapshots, together }: { callAction: CallAction; snapshots: Snapshots; together?: ReadsTogether },
  { id, status, sharing, action, staleMs }: Route,
  params: unknown,
  caller: Caller | undefined,
): Promise<Snapshot> {
  if (sharing === undefined || action === undefined || !isShared({ sharing }, caller))
    throw new Error(`The route ${id} is not shared.`);
  const forCaller = sharing.with === 'caller';
  const viewer = forCaller ? viewerOf(caller) : 'everybody';
  return snapshots.get(
    JSON.stringify([id, viewer, params]),
    subjects[sharing.from](params as VaultParams),
    async () => {
      const found = forCaller ? await together?.({ action }, params, caller) : undefined;
      if (found) {
        const { bytes, etag, block_number } = found;
        return { bytes, etag, status, keep: true, blocks: blocksOf(sharing, params, { block_number }) };
      }
      // What is asked for everybody leaves with what is asked together: one packet of the bus, one awakening of the other side.
      const body = await callAction(action, params, forCaller ? { caller } : { isShared: true });
      const maxAgeMs = staleMs === 0 ? undefined : staleMs;
      const { as_of: asOf } = (body ?? {}) as { as_of?: string };
      return { ...jsonSnapshot(body, status), blocks: blocksOf(sharing, params, body), maxAgeMs, asOf };
    },
  );
}
