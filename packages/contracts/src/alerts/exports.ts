export {
  AcknowledgeAlert,
  Alert,
  AlertCounts,
  AlertEvent,
  AlertSignalled,
  AlertSignalStream,
  AlertStatus,
  alertStatuses,
  GetAlert,
  Inhibition,
  ListAlertEvents,
  ListAlerts,
  ResolveAlert,
} from './alerts.ts';
export {
  BindChannel,
  ChangeChannel,
  ChannelBinding,
  ChannelProvider,
  ChannelReceives,
  CreateChannel,
  channelProviders,
  DeleteChannel,
  Delivery,
  ListChannels,
  ListDeliveries,
  ListVaultChannels,
  NotificationChannel,
  RedeliverChannel,
  ReplayChannel,
  TestChannel,
  UnbindChannel,
} from './channels.ts';
export { Duty, DutyEscalation, DutyPerson, DutyRota, GetDuty, QuietHours, SetDuty } from './duty.ts';
export { GetAlertReadings } from './readings.ts';
export { AlertNoteInBody } from './routes.ts';
export {
  AlertRule,
  AlertRuleId,
  AlertSettings,
  AlertSeverity,
  alertRuleIds,
  alertSeverities,
  BacktestAlertRule,
  BacktestEpisode,
  ListAlertRules,
  SetAlertRule,
} from './rules.ts';
