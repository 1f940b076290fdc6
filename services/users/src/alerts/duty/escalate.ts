import type { Alert, DutyPerson } from '@castellan/contracts';
import type { Logger } from '@castellan/service-kit';
import { sentIds } from '../records/adapters/alert-records.mongo.ts';
import type { RecordCollections } from '../records/models/collections.ts';
import { type RecordDeps, recordChange } from '../records/record-change.ts';
import { rankOf } from './domain/quiet-hours.ts';
import { dutyAt } from './domain/rota.ts';
import { type DutyCollections, dutyRotas, type StoredRota } from './models/collections.ts';

export type EscalationDeps = RecordDeps & {
  alerts: Pick<RecordCollections, 'alerts'>;
  duty: DutyCollections;
  log: Logger;
};

/** Of an alert that was escalated; the same each time, so that none is escalated twice. */
export const escalatedId = (alertId: string): string => `${alertId}:escalated`;

/** Escalates one alert, unless somebody acknowledged it or it ended meanwhile: the event, the row and the mark are one transaction. */
async function escalate(
  deps: EscalationDeps,
  { alert_id }: Alert,
  { minutes, next, now }: { minutes: number; next: DutyPerson | null; now: Date },
): Promise<void> {
  await recordChange(deps, async (session) => {
    const marked = await deps.duty.watches.updateOne(
      { alert_id, escalated_at: null },
      { $set: { escalated_at: now } },
      { session },
    );
    if (marked.modifiedCount === 0) return null;
    // Written, not only read: an acknowledgement at the same time meets it, and one of the two comes first.
    const alert = await deps.records.change(alert_id, (found) => (isWaiting(found) ? { ...found } : undefined), {
      session,
    });
    if (!alert || !isWaiting(alert)) return null;
    return {
      id: escalatedId(alert_id),
      type: 'alert.escalated',
      action: 'alert_escalated',
      alert,
      time: now.toISOString(),
      note: `Nobody acknowledged it within ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
      ...(next ? { onDuty: next } : {}),
    };
  });
}

const isWaiting = ({ status, inhibited_by }: Alert): boolean => status === 'active' && inhibited_by?.effect !== 'mute';

async function escalateVault(deps: EscalationDeps, { chain_id, vault, rota }: StoredRota, now: Date): Promise<void> {
  const escalation = rota?.escalation;
  if (!rota || !escalation) return;
  const waiting = await deps.alerts.alerts.find({ chain_id, vault, status: 'active', is_muted: false }).toArray();
  const grave = waiting.filter(({ severity }) => rankOf(severity) <= rankOf(escalation.min_severity));
  if (grave.length === 0) return;
  const ids = grave.map(({ alert_id }) => alert_id);
  const known = await deps.duty.watches.find({ alert_id: { $in: ids } }).toArray();
  const { next } = dutyAt(rota, now);
  for (const alert of grave) {
    const watch = known.find(({ alert_id }) => alert_id === alert.alert_id);
    if (watch) {
      const due = watch.seen_at.getTime() + escalation.after_minutes * 60_000;
      if (watch.escalated_at === null && now.getTime() >= due)
        await escalate(deps, alert, { minutes: escalation.after_minutes, next, now });
    } else if (await deps.records.hasEvent(sentIds(alert.alert_id), {})) {
      // The minutes count from when somebody could know of it, not from a block that was read late.
      const { alert_id } = alert;
      const begun = { $setOnInsert: { alert_id, seen_at: now, escalated_at: null } };
      await deps.duty.watches.updateOne({ alert_id }, begun, { upsert: true });
    }
  }
}

/** Escalates what nobody acknowledged in time, over all vaults that ask for it. One that fails holds up no other. */
export async function escalateDue(deps: EscalationDeps, now: Date): Promise<void> {
  const rotas = await deps.duty.rotas.find({ 'rota.escalation.after_minutes': { $gt: 0 } }).toArray();
  for (const rota of rotas.filter((each) => dutyRotas.shape.safeParse(each).success)) {
    try {
      await escalateVault(deps, rota, now);
    } catch (error) {
      deps.log.error('could not escalate alerts of a vault, retrying', { vault: rota.vault, error: error as Error });
    }
  }
}
