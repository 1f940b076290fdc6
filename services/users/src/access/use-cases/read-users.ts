import { randomUUID } from 'node:crypto';
import {
  AppError,
  GetChainRoles,
  type GetRoles,
  type ListUsers,
  type ParamsOf,
  type ResultOf,
  type Role,
  type VaultUser,
} from '@castellan/contracts';
import { type Call, cursorOf, gatheredRead, isDuplicateKey, placeIn } from '@castellan/service-kit';
import { KeptAnswers, type Revisions, vaultSubject } from '../../kept-answers.ts';
import type { AccessCollections } from '../models/collections.ts';
import { type Managers, needs, requireRole } from './require-role.ts';

type Member = { wallet: string; role: Role; granted_by: string | null; granted_at: string | null };

type ReadUsersDeps = {
  collections: AccessCollections;
  auditLog: { tail: Revisions };
  checksum: (address: string) => string;
};

/** Everyone with a role on the vault: primary, then secondaries, then viewers, each group in the order of its grants. */
export const listUsers = ({ collections, auditLog, checksum }: ReadUsersDeps) => {
  const kept = new KeptAnswers<ResultOf<typeof ListUsers>>(auditLog.tail);
  return async (params: ParamsOf<typeof ListUsers>, call: Call): Promise<ResultOf<typeof ListUsers>> => {
    const { chain_id, vault_address } = params;
    const managers = await requireRole(collections, call, { chain_id, vault_address }, needs.anyRole);
    const key = JSON.stringify([params, managers.primary, managers.secondary]);
    // A grant or label has a row of the vault, a wallet's own name one of no vault.
    const subjects = [vaultSubject(params), 'display_name_changed'];
    return kept.get(key, subjects, async () =>
      pageOfUsers(collections, params, await membersOf(collections, managers, checksum)),
    );
  };
};

async function pageOfUsers(
  collections: AccessCollections,
  { chain_id, vault_address, limit, cursor }: ParamsOf<typeof ListUsers>,
  members: readonly Member[],
): Promise<ResultOf<typeof ListUsers>> {
  const start = cursor === undefined ? 0 : positionAfter(members, cursor);
  const page = members.slice(start, start + limit);
  const wallets = page.map(({ wallet }) => wallet);
  const [names, ids] = await Promise.all([
    namesOf(collections, chain_id, vault_address, wallets),
    personIds(collections, wallets),
  ]);
  const vault = { chain_id, vault_address };
  const users = page.map((member) => {
    const wallet = member.wallet.toLowerCase();
    return vaultUser(member, vault, ids.get(wallet) as string, names.get(wallet));
  });
  const more = start + limit < members.length;
  const last = page.at(-1);
  return {
    users,
    total: members.length,
    has_more: more,
    next_cursor: more && last ? cursorOf(last.wallet) : null,
  };
}

async function membersOf(
  collections: AccessCollections,
  { chain_id, vault_address, primary, secondary }: Managers,
  checksum: (address: string) => string,
): Promise<Member[]> {
  const grants = await collections.grants
    .find({ chain_id, vault: vault_address.toLowerCase(), granted: true })
    .sort({ granted_at: 1, wallet: 1 })
    .toArray();
  const managing = new Set([primary, ...secondary].map(({ wallet_address }) => wallet_address));
  const manager =
    (role: Role) =>
    ({ wallet_address, granted_by, granted_at }: Managers['primary']): Member => ({
      wallet: wallet_address,
      role,
      granted_by,
      granted_at,
    });
  return [
    manager('primary_manager')(primary),
    ...[...secondary]
      .sort((a, b) =>
        a.granted_at < b.granted_at
          ? -1
          : a.granted_at > b.granted_at
            ? 1
            : a.wallet_address < b.wallet_address
              ? -1
              : 1,
      )
      .map(manager('secondary_manager')),
    ...grants
      .map(
        ({ wallet, granted_by, granted_at }): Member => ({
          wallet: checksum(wallet),
          role: 'view_only',
          granted_by: checksum(granted_by),
          granted_at: granted_at.toISOString(),
        }),
      )
      .filter(({ wallet }) => !managing.has(wallet)),
  ];
}

function positionAfter(members: readonly Member[], cursor: string): number {
  const [wallet] = placeIn(cursor, /^\S+$/) ?? [];
  const at = members.findIndex((member) => member.wallet === wallet);
  if (at < 0)
    throw new AppError(
      'CURSOR_INVALID',
      'The cursor is not one this list returned, or its user is gone. Start without one.',
    );
  return at + 1;
}

export const vaultUser = (
  { wallet, role, granted_by, granted_at }: Member,
  vault: { chain_id: number; vault_address: string },
  id: string,
  name: ShownName | undefined,
): VaultUser => ({
  user: {
    id,
    wallet_address: wallet,
    display_name: name?.display_name ?? null,
    label_version: name?.label_version ?? 0,
  },
  roles: [{ ...vault, role, granted_by, granted_at }],
});

/** `label_version` is that of the vault's label, 0 when the name is the wallet's own. */
export type ShownName = { display_name: string; label_version: number };

/** Names by lower-case wallet: the vault's label, else the wallet's own. */
export async function namesOf(
  collections: AccessCollections,
  chainId: number,
  vaultAddress: string,
  wallets: readonly string[],
): Promise<Map<string, ShownName>> {
  const found = await collections.names
    .find({ wallet: { $in: wallets.map((wallet) => wallet.toLowerCase()) } })
    .toArray();
  const names = new Map<string, ShownName>();
  for (const { vault, wallet, display_name } of found)
    if (vault === null) names.set(wallet, { display_name, label_version: 0 });
  for (const { vault, chain_id, wallet, display_name, version } of found)
    if (vault === vaultAddress.toLowerCase() && chain_id === chainId)
      names.set(wallet, { display_name, label_version: version });
  return names;
}

/** Lasting ids of people by lower-case wallet, each made when its wallet is first seen; two at once agree by the unique wallet. */
export async function personIds(
  collections: AccessCollections,
  addresses: readonly string[],
): Promise<Map<string, string>> {
  const wallets = addresses.map((address) => address.toLowerCase());
  const known = await collections.people.find({ wallet: { $in: wallets } }).toArray();
  const ids = new Map(known.map(({ wallet, id }) => [wallet, id]));
  const unknown = wallets.filter((wallet) => !ids.has(wallet));
  await Promise.all(unknown.map(async (wallet) => ids.set(wallet, await newPersonId(collections, wallet))));
  return ids;
}

async function newPersonId({ people }: AccessCollections, wallet: string): Promise<string> {
  const id = randomUUID();
  try {
    await people.insertOne({ wallet, id });
    return id;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return ((await people.findOne({ wallet })) as { id: string }).id;
  }
}

/** Every role of one wallet; a manager of a vault is not listed as its viewer besides. */
export const getRoles = ({ collections, checksum }: Pick<ReadUsersDeps, 'collections' | 'checksum'>) => {
  const viewableBy = gatheredRead(async (wallets) => {
    const found = await collections.grants
      .find({ wallet: { $in: [...wallets] }, granted: true })
      .sort({ chain_id: 1, vault: 1 })
      .toArray();
    const byWallet = Map.groupBy(found, ({ wallet }) => wallet);
    return (wallet) => byWallet.get(wallet) ?? [];
  });
  return async ({ wallet_address }: ParamsOf<typeof GetRoles>, call: Call): Promise<ResultOf<typeof GetRoles>> => {
    const [{ roles }, grants] = await Promise.all([
      call.callAction(GetChainRoles, { wallet_address }),
      viewableBy(wallet_address.toLowerCase()),
    ]);
    const managed = new Set(roles.map(({ chain_id, vault_address }) => `${chain_id}:${vault_address}`));
    const viewing = grants
      .map(({ chain_id, vault }) => ({ chain_id, vault_address: checksum(vault), role: 'view_only' as const }))
      .filter(({ chain_id, vault_address }) => !managed.has(`${chain_id}:${vault_address}`));
    return { roles: [...roles, ...viewing] };
  };
};
