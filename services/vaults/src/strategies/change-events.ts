import { AlertSignalled } from '@castellan/contracts';
import { type PendingEvent, pendingEvent, pendingRow } from '@castellan/service-kit';
import type { ChangeEvent } from './domain/strategy.ts';

/** A row of the audit log or a signal for the alerts, as it is published. */
export const pendingOf = (event: ChangeEvent): PendingEvent =>
  'action_type' in event ? pendingRow(event) : pendingEvent(AlertSignalled, event, { msgId: event.id });
