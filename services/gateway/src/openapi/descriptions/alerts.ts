import type { Description } from '../description.ts';

const onVault = ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'] as const;
const ofAlert = [...onVault, 'ALERT_NOT_FOUND'] as const;
const ofChannel = ['ROLE_REQUIRED', 'CHANNEL_NOT_FOUND'] as const;

export const alerts = {
  listAlerts: {
    tag: 'alerts',
    summary: 'Alerts of a vault, or of every vault one has a role on, newest first, with counts',
    errors: [...onVault, 'CURSOR_INVALID'],
  },
  alertRules: { tag: 'alerts', summary: 'Rules of a vault with their thresholds, owner and runbook', errors: onVault },
  setAlertRule: {
    tag: 'alerts',
    summary: 'Set thresholds, owner, delays, or switch a rule off',
    errors: [...onVault, 'VERSION_CONFLICT'],
  },
  backtestAlertRule: {
    tag: 'alerts',
    summary: 'What a rule would have done over the history of a vault',
    errors: [...onVault, 'RANGE_REVERSED'],
  },
  alertEvents: { tag: 'alerts', summary: 'Events of a vault after a sequence, as channels get them', errors: onVault },
  getAlert: { tag: 'alerts', summary: 'One alert', errors: ofAlert },
  acknowledgeAlert: { tag: 'alerts', summary: 'Say that somebody is on it', errors: [...ofAlert, 'ALERT_RESOLVED'] },
  resolveAlert: { tag: 'alerts', summary: 'Close an alert by hand', errors: ofAlert },
  listChannels: { tag: 'notifications', summary: 'Own channels' },
  createChannel: {
    tag: 'notifications',
    summary: 'Make a channel: Slack, email, Telegram, PagerDuty, Opsgenie, webhook or websocket',
    errors: ['ROLE_REQUIRED', 'ADDRESS_FORBIDDEN', 'TOO_MANY_CHANNELS'],
  },
  changeChannel: {
    tag: 'notifications',
    summary: 'Rename a channel, switch it, change where it goes',
    errors: [...ofChannel, 'ROLE_REQUIRED', 'ADDRESS_FORBIDDEN', 'VERSION_CONFLICT'],
  },
  deleteChannel: { tag: 'notifications', summary: 'Remove a channel from everywhere', errors: ofChannel },
  testChannel: { tag: 'notifications', summary: 'Send a test event now', errors: [...ofChannel, 'ROLE_REQUIRED'] },
  listDeliveries: {
    tag: 'notifications',
    summary: 'What was sent to a channel and what came of it, newest first',
    errors: [...ofChannel, 'CURSOR_INVALID'],
  },
  vaultChannels: { tag: 'notifications', summary: 'Channels of a vault and how far each has come', errors: onVault },
  bindVaultChannel: {
    tag: 'notifications',
    summary: 'Bind a channel of one’s own to a vault',
    errors: [...onVault, 'CHANNEL_NOT_FOUND'],
    otherStatuses: { 200: 'It was bound already' },
  },
  bindChannel: {
    tag: 'notifications',
    summary: 'Bind a channel of one’s own to a vault',
    errors: [...onVault, 'CHANNEL_NOT_FOUND'],
    otherStatuses: { 200: 'It was bound already' },
  },
  unbindChannel: { tag: 'notifications', summary: 'Take a channel from a vault', errors: onVault },
  replayChannel: {
    tag: 'notifications',
    summary: 'Deliver again from a sequence on',
    errors: [...onVault, 'CHANNEL_NOT_FOUND'],
  },
  redeliverChannel: { tag: 'notifications', summary: 'Try what waits now', errors: [...onVault, 'CHANNEL_NOT_FOUND'] },
} satisfies Record<string, Description>;
