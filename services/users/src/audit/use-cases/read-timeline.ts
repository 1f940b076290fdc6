import type { AuditRow, ListTimeline, ParamsOf, ResultOf } from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import { namesOf, type ShownName } from '../../access/use-cases/read-users.ts';
import { needs, requireRole } from '../../access/use-cases/require-role.ts';
import { chainSubject, KeptAnswers, vaultSubject } from '../../kept-answers.ts';
import { chainIdPrefix } from '../domain/chain-events.ts';
import { shortAddress, titleOf, walletsIn } from '../domain/titles.ts';
import { voidedBy, voiding } from '../domain/voided.ts';
import { type AuditDeps, inCategory, pageOf } from './read-audit.ts';

type Item = ResultOf<typeof ListTimeline>['items'][number];

function itemOf(row: AuditRow, names: ReadonlyMap<string, ShownName>): Item {
  const { id, timestamp, category, action_type, actor_wallet, tx_hash, details } = row;
  const nameOf = (wallet: string) => names.get(wallet.toLowerCase())?.display_name;
  return {
    id,
    t: timestamp,
    category,
    action_type,
    title: titleOf(row, (wallet) => nameOf(wallet) ?? shortAddress(wallet)),
    actor: actor_wallet === null ? null : { wallet_address: actor_wallet, display_name: nameOf(actor_wallet) ?? null },
    tx_hash,
    details,
  };
}

async function readTimeline(
  { collections, auditLog }: AuditDeps,
  { chain_id, vault_address, category, limit, cursor }: ParamsOf<typeof ListTimeline>,
): Promise<ResultOf<typeof ListTimeline>> {
  const ofVault = {
    chain_id,
    $or: [{ vault_address }, { vault_address: null, id: { $regex: `^${chainIdPrefix(chain_id)}` } }],
  };
  const undoing = await auditLog.oldestFirst({ ...ofVault, action_type: { $in: [...voiding] } });
  const voided = undoing.flatMap(voidedBy);
  const query = { $and: [ofVault, inCategory(category), { id: { $nin: voided } }] };
  const { rows, ...page } = await pageOf(auditLog, query, { limit, cursor });
  const wallets = rows.flatMap(({ actor_wallet, details }) => [
    ...(actor_wallet === null ? [] : [actor_wallet]),
    ...walletsIn(details),
  ]);
  const names = await namesOf(collections, chain_id, vault_address, [...new Set(wallets)]);
  return { items: rows.map((row) => itemOf(row, names)), ...page };
}

/**
 * What happened to a vault, newest first, for anybody with a role on it: its own rows and the changes of its chain that concern
 * every vault. Changes that a reorganisation of the chain took back are left out.
 */
export const listTimeline = (deps: AuditDeps) => {
  const kept = new KeptAnswers<ResultOf<typeof ListTimeline>>(deps.auditLog.tail);
  return async (params: ParamsOf<typeof ListTimeline>, call: Call): Promise<ResultOf<typeof ListTimeline>> => {
    const { chain_id, vault_address } = params;
    await requireRole(deps.collections, call, { chain_id, vault_address }, needs.anyRole);
    // A wallet's own name has a row of no chain.
    const subjects = [vaultSubject(params), chainSubject(params), 'display_name_changed'];
    return kept.get(JSON.stringify(params), subjects, () => readTimeline(deps, params));
  };
};
