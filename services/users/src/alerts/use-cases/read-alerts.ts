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
import type { Call } from '@castellan/service-kit';
import type { mongo } from 'mongoose';
import type { Collections } from '../../models/collections.ts';
import { needs, requireCaller, requireRole } from '../../use-cases/access.ts';
import { getRoles } from '../../use-cases/read-users.ts';
import type { AlertCollections, StoredAlert } from '../collections.ts';
import { type AlertRecords, plainAlert, plainEvent } from '../records.mongo.ts';

export type ReadAlertsDeps = {
  collections: Collections;
  alerts: AlertCollections;
  records: AlertRecords;
  checksum: (address: string) => string;
};
type Query = mongo.Filter<StoredAlert>;

const vaultQuery = (chain_id: number, vault_address: string): Query => ({
  chain_id,
  vault: vault_address.toLowerCase(),
});

/** The vaults that are asked about: one, or every one where the caller has a role and the token reaches. */
async function scopeOf(deps: ReadAlertsDeps, params: ParamsOf<typeof ListAlerts>, call: Call): Promise<Query> {
  const { chain_id, vault_address } = params;
  if (chain_id !== undefined && vault_address !== undefined) {
    await requireRole(deps.collections, call, { chain_id, vault_address }, needs.anyRole);
    return vaultQuery(chain_id, vault_address);
  }
  const { roles } = await getRoles(deps)({ wallet_address: requireCaller(call) }, call);
  const own = roles.filter((role) => isWithinBinding(call.caller, role));
  // No vault at all must not become every vault.
  return own.length === 0
    ? { chain_id: -1 }
    : { $or: own.map((role) => vaultQuery(role.chain_id, role.vault_address)) };
}

const statusQueries: Readonly<Record<NonNullable<ParamsOf<typeof ListAlerts>['status']>, Query>> = {
  active: { status: 'active', is_muted: false },
  acknowledged: { status: 'acknowledged', is_muted: false },
  open: { status: { $ne: 'resolved' }, is_muted: false },
  muted: { status: { $ne: 'resolved' }, is_muted: true },
  resolved: { status: 'resolved' },
};

async function countsOf(alerts: AlertCollections['alerts'], scope: Query): Promise<AlertCounts> {
  const groups = await alerts
    .aggregate<{ _id: { status: Alert['status']; severity: Alert['severity']; muted: boolean }; n: number }>([
      { $match: scope },
      { $group: { _id: { status: '$status', severity: '$severity', muted: '$is_muted' }, n: { $sum: 1 } } },
    ])
    .toArray();
  const sum = (fits: (id: (typeof groups)[number]['_id']) => boolean): number =>
    groups.filter(({ _id }) => fits(_id)).reduce((total, { n }) => total + n, 0);
  const isOpen =
    (status: Alert['status']) =>
    ({ status: of, muted }: (typeof groups)[number]['_id']) =>
      of === status && !muted;
  const active = (severity: Alert['severity']) => sum((id) => isOpen('active')(id) && id.severity === severity);
  return {
    by_status: {
      active: sum(isOpen('active')),
      acknowledged: sum(isOpen('acknowledged')),
      resolved: sum(({ status }) => status === 'resolved'),
      muted: sum(({ status, muted }) => status !== 'resolved' && muted),
    },
    by_severity: { critical: active('critical'), warning: active('warning'), info: active('info') },
    total: sum(() => true),
  };
}

const cursorOf = ({ opened_at, alert_id }: Alert): string =>
  Buffer.from(`${opened_at}|${alert_id}`).toString('base64url');

/** @throws AppError CURSOR_INVALID. */
function afterCursor(cursor: string | undefined): Query {
  if (cursor === undefined) return {};
  const [opened_at = '', alert_id = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split('|');
  if (Number.isNaN(Date.parse(opened_at)) || !/^al_[0-9a-f]{24}$/.test(alert_id))
    throw new AppError('CURSOR_INVALID', 'The cursor is not one this list returned. Start without one.');
  return { $or: [{ opened_at: { $lt: opened_at } }, { opened_at, alert_id: { $lt: alert_id } }] };
}

/** Alerts of one vault or of all one has a role on, newest first; the counts are of the same scope. */
export const listAlerts =
  (deps: ReadAlertsDeps) =>
  async (params: ParamsOf<typeof ListAlerts>, call: Call): Promise<ResultOf<typeof ListAlerts>> => {
    const scope = await scopeOf(deps, params, call);
    const { status, severity, rule_id, limit, cursor } = params;
    const filters: Query = {
      $and: [scope, status ? statusQueries[status] : {}, severity ? { severity } : {}, rule_id ? { rule_id } : {}],
    };
    const stored = deps.alerts.alerts;
    const [found, total, counts] = await Promise.all([
      stored
        .find({ $and: [filters, afterCursor(cursor)] })
        .sort({ opened_at: -1, alert_id: -1 })
        .limit(limit + 1)
        .toArray(),
      stored.countDocuments(filters),
      countsOf(stored, scope),
    ]);
    const alerts = found.slice(0, limit).map(plainAlert);
    const last = alerts.at(-1);
    const has_more = found.length > limit;
    return { alerts, total, has_more, next_cursor: has_more && last ? cursorOf(last) : null, counts };
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

export const listAlertEvents =
  (deps: ReadAlertsDeps) =>
  async (
    { chain_id, vault_address, after_sequence, limit }: ParamsOf<typeof ListAlertEvents>,
    call: Call,
  ): Promise<ResultOf<typeof ListAlertEvents>> => {
    await requireRole(deps.collections, call, { chain_id, vault_address }, needs.anyRole);
    const vault = vault_address.toLowerCase();
    const events = await deps.records.eventsFrom(chain_id, vault, after_sequence + 1, limit);
    const head_sequence = await deps.records.headSequence(chain_id, vault);
    return {
      events: events.map(plainEvent),
      head_sequence,
      has_more: (events.at(-1)?.sequence ?? after_sequence) < head_sequence,
    };
  };
