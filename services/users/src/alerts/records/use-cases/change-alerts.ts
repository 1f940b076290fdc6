import { type AcknowledgeAlert, type Alert, AppError, type ParamsOf, type ResolveAlert } from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import { needs, requireCaller, requireRole } from '../../../access/use-cases/require-role.ts';
import { type RecordDeps, recordChange } from '../record-change.ts';
import { type ReadAlertsDeps, requireAlert } from './read-alerts.ts';

export type ChangeAlertsDeps = ReadAlertsDeps & RecordDeps & { now: () => Date };

/** A call that changes nothing has the version, and so the id, of the change before: it adds nothing. */
async function changeByHand(
  deps: ChangeAlertsDeps,
  { id, note = null }: { id: string; note?: string | null | undefined },
  call: Call,
  kind: 'acknowledged' | 'resolved',
  change: (now: Alert, wallet: string, at: string) => Alert | undefined,
): Promise<Alert> {
  const found = await requireAlert(deps, id);
  await requireRole(deps.collections, call, found, needs.manager);
  const actor = requireCaller(call);
  const time = deps.now().toISOString();
  const recorded = await recordChange(deps, async (session) => {
    const alert = await deps.records.change(id, (now) => change(now, actor, time), { session });
    return alert
      ? {
          id: `${id}:${kind}:v${alert.version}`,
          type: `alert.${kind}`,
          action: `alert_${kind}`,
          alert,
          time,
          actor,
          requestId: call.requestId ?? null,
          note,
        }
      : null;
  });
  if (!recorded) throw new AppError('ALERT_NOT_FOUND', 'No alert has this id.');
  return recorded.alert;
}

export const acknowledgeAlert =
  (deps: ChangeAlertsDeps) =>
  (params: ParamsOf<typeof AcknowledgeAlert>, call: Call): Promise<Alert> =>
    changeByHand(deps, params, call, 'acknowledged', (now, wallet, at) => {
      if (now.status === 'resolved')
        throw new AppError('ALERT_RESOLVED', 'The alert is already resolved, so nobody needs to acknowledge it.');
      const note = params.note ?? now.note;
      const isSame = now.status === 'acknowledged' && note === now.note;
      return isSame
        ? undefined
        : { ...now, status: 'acknowledged', acknowledged_by: wallet, acknowledged_at: at, note };
    });

export const resolveAlert =
  (deps: ChangeAlertsDeps) =>
  (params: ParamsOf<typeof ResolveAlert>, call: Call): Promise<Alert> =>
    changeByHand(deps, params, call, 'resolved', (now, wallet, at) =>
      now.status === 'resolved'
        ? undefined
        : { ...now, status: 'resolved', resolved_by: wallet, resolved_at: at, note: params.note ?? now.note },
    );
