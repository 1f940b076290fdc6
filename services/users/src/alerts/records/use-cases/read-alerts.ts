import {
  type Alert,
  type AlertCounts,
  AppError,
  type GetAlert,
  isWithinBinding,
  type ListAlertEvents,
  type ListAlerts,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import { type Call, invalidCursor, pageOf, placeIn } from '@castellan/service-kit';
import type { mongo } from 'mongoose';
import type { AccessCollections } from '../../../access/models/collections.ts';
import { getRoles } from '../../../access/use-cases/read-users.ts';
import { forRole, needs, requireCaller, requireRole } from '../../../access/use-cases/require-role.ts';
import { KeptAnswers } from '../../../kept-answers.ts';
import { type AlertRecords, plainAlert, plainEvent, vaultIdOf } from '../adapters/alert-records.mongo.ts';
import type { RecordCollections, StoredAlert } from '../models/collections.ts';

export type ReadAlertsDeps = {
  collections: AccessCollections;
  alerts: Pick<RecordCollections, 'alerts'>;
  records: AlertRecords;
  checksum: (address: string) => string;
};
type Query = mongo.Filter<StoredAlert>;

const vaultQuery = (chain_id: number, vault_address: string): Query => ({
  chain_id,
  vault: vault_address.toLowerCase(),
});

type VaultKey = { chain_id: number; vault_address: string };

/** The vaults that are asked about: one, or every one where the caller has a role and the token reaches. */
async function scopeOf(
  { collections, rolesOf }: Pick<ReadAlertsDeps, 'collections'> & { rolesOf: ReturnType<typeof getRoles> },
  params: ParamsOf<typeof ListAlerts>,
  call: Call,
): Promise<VaultKey[]> {
  const { chain_id, vault_address } = params;
  if (chain_id !== undefined && vault_address !== undefined) {
    await requireRole(collections, call, { chain_id, vault_address }, needs.anyRole);
    return [{ chain_id, vault_address }];
  }
  const { roles } = await rolesOf({ wallet_address: requireCaller(call) }, call);
  return roles.filter((role) => isWithinBinding(call.caller, role));
}

/** No vault at all must not become every vault. */
const ofScope = (scope: readonly VaultKey[]): Query =>
  scope.length === 0
    ? { chain_id: -1 }
    : { $or: scope.map(({ chain_id, vault_address }) => vaultQuery(chain_id, vault_address)) };

/** Alerts that are alike in these, and how many they are. */
type Group = Pick<Alert, 'status' | 'severity' | 'rule_id' | 'chain_id' | 'vault_address'> & {
  is_muted: boolean;
  n: number;
};
type Status = { query: Query; fits: (group: Group) => boolean };

const unmuted = (of: 'active' | 'acknowledged'): Status => ({
  query: { status: of, is_muted: false },
  fits: ({ status, is_muted }) => status === of && !is_muted,
});
const statuses: Readonly<Record<NonNullable<ParamsOf<typeof ListAlerts>['status']>, Status>> = {
  active: unmuted('active'),
  acknowledged: unmuted('acknowledged'),
  open: {
    query: { status: { $ne: 'resolved' }, is_muted: false },
    fits: ({ status, is_muted }) => status !== 'resolved' && !is_muted,
  },
  muted: {
    query: { status: { $ne: 'resolved' }, is_muted: true },
    fits: ({ status, is_muted }) => status !== 'resolved' && is_muted,
  },
  resolved: { query: { status: 'resolved' }, fits: ({ status }) => status === 'resolved' },
};

async function groupsOf(alerts: RecordCollections['alerts'], scope: Query): Promise<Group[]> {
  const alike = {
    status: '$status',
    severity: '$severity',
    rule_id: '$rule_id',
    is_muted: '$is_muted',
    chain_id: '$chain_id',
    vault_address: '$vault_address',
  };
  const found = await alerts
    .aggregate<{ _id: Omit<Group, 'n'>; n: number }>([{ $match: scope }, { $group: { _id: alike, n: { $sum: 1 } } }])
    .toArray();
  return found.map(({ _id, n }) => ({ ..._id, n }));
}

const sum = (groups: readonly Group[], fits: (group: Group) => boolean): number =>
  groups.filter(fits).reduce((total, { n }) => total + n, 0);

const bySeverity = (active: readonly Group[]): AlertCounts['by_severity'] => ({
  critical: sum(active, ({ severity }) => severity === 'critical'),
  warning: sum(active, ({ severity }) => severity === 'warning'),
  info: sum(active, ({ severity }) => severity === 'info'),
});

const countsOfVault = (open: readonly Group[]): AlertCounts['by_vault'] =>
  open.slice(0, 1).map(({ chain_id, vault_address }) => ({
    chain_id,
    vault_address,
    ...bySeverity(open.filter(statuses.active.fits)),
    acknowledged: sum(open, statuses.acknowledged.fits),
  }));

function countsOf(groups: readonly Group[]): AlertCounts {
  const active = groups.filter(statuses.active.fits);
  return {
    by_status: {
      active: sum(groups, statuses.active.fits),
      acknowledged: sum(groups, statuses.acknowledged.fits),
      resolved: sum(groups, statuses.resolved.fits),
      muted: sum(groups, statuses.muted.fits),
    },
    by_severity: bySeverity(active),
    total: sum(groups, () => true),
    by_vault: [...Map.groupBy(groups.filter(statuses.open.fits), vaultIdOf).values()].flatMap(countsOfVault),
  };
}

const placeOf = ({ opened_at, alert_id }: Alert): string => `${opened_at}|${alert_id}`;

/** @throws AppError CURSOR_INVALID. */
function afterCursor(cursor: string | undefined): Query {
  if (cursor === undefined) return {};
  const [, opened_at = '', alert_id = ''] = placeIn(cursor, /^([^|]+)\|(al_[0-9a-f]{24})$/) ?? [];
  if (Number.isNaN(Date.parse(opened_at))) throw invalidCursor();
  return { $or: [{ opened_at: { $lt: opened_at } }, { opened_at, alert_id: { $lt: alert_id } }] };
}

type AlertsPage = ResultOf<typeof ListAlerts>;

async function readAlerts(
  alerts: RecordCollections['alerts'],
  scope: Query,
  { status, severity, rule_id, limit, cursor }: ParamsOf<typeof ListAlerts>,
): Promise<AlertsPage> {
  const filters = [status ? statuses[status].query : {}, severity ? { severity } : {}, rule_id ? { rule_id } : {}];
  const [found, groups] = await Promise.all([
    alerts
      .find({ $and: [scope, ...filters, afterCursor(cursor)] })
      .sort({ opened_at: -1, alert_id: -1 })
      .limit(limit + 1)
      .toArray(),
    groupsOf(alerts, scope),
  ]);
  const { items, ...page } = pageOf(found, limit, placeOf);
  const isWanted = (group: Group) =>
    (!status || statuses[status].fits(group)) &&
    (!severity || group.severity === severity) &&
    (!rule_id || group.rule_id === rule_id);
  return { alerts: items.map(plainAlert), total: sum(groups, isWanted), ...page, counts: countsOf(groups) };
}

/** Alerts of one vault or of all one has a role on, newest first; the counts are of the same scope. */
export const listAlerts = (deps: ReadAlertsDeps) => {
  const kept = new KeptAnswers<AlertsPage>(deps.records);
  const rolesOf = getRoles(deps);
  return async (params: ParamsOf<typeof ListAlerts>, call: Call): Promise<AlertsPage> => {
    const scope = await scopeOf({ ...deps, rolesOf }, params, call);
    const ids = scope.map(vaultIdOf);
    const { chain_id: _chain, vault_address: _vault, ...chosen } = params;
    return kept.get(JSON.stringify([ids, chosen]), ids, () => readAlerts(deps.alerts.alerts, ofScope(scope), params));
  };
};

/** @throws AppError ALERT_NOT_FOUND. */
export async function requireAlert({ records }: Pick<ReadAlertsDeps, 'records'>, id: string): Promise<Alert> {
  const alert = await records.get(id);
  if (!alert) throw new AppError('ALERT_NOT_FOUND', 'No alert has this id.');
  return alert;
}

export const getAlert =
  (deps: ReadAlertsDeps) =>
  async ({ id }: ParamsOf<typeof GetAlert>, call: Call): Promise<Alert> => {
    const alert = await requireAlert(deps, id);
    await requireRole(deps.collections, call, alert, needs.anyRole);
    return alert;
  };

export const listAlertEvents = (deps: ReadAlertsDeps) =>
  forRole(
    deps.collections,
    needs.anyRole,
    async ({
      chain_id,
      vault_address,
      after_sequence,
      limit,
    }: ParamsOf<typeof ListAlertEvents>): Promise<ResultOf<typeof ListAlertEvents>> => {
      const vault = vault_address.toLowerCase();
      const events = await deps.records.eventsFrom(chain_id, vault, after_sequence + 1, limit);
      const head_sequence = await deps.records.headSequence(chain_id, vault);
      return {
        events: events.map(plainEvent),
        head_sequence,
        has_more: (events.at(-1)?.sequence ?? after_sequence) < head_sequence,
      };
    },
  );
