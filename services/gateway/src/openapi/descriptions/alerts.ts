import type { Description } from '../description.ts';

const onVault = ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'] as const;
const ofAlert = [...onVault, 'ALERT_NOT_FOUND'] as const;
const ofChannel = ['ROLE_REQUIRED', 'CHANNEL_NOT_FOUND'] as const;

export const alerts = {
  listAlerts: {
    tag: 'alerts',
    role: 'viewer',
    summary: 'Alerts of a vault, or of every vault one has a role on, newest first, with counts',
    errors: [...onVault, 'CURSOR_INVALID'],
  },
  alertRules: {
    tag: 'alerts',
    role: 'viewer',
    summary: 'Rules of a vault with their thresholds, owner and runbook',
    errors: onVault,
  },
  setAlertRule: {
    tag: 'alerts',
    role: 'secondary',
    summary: 'Set thresholds, owner, delays, or switch a rule off',
    errors: [...onVault, 'VERSION_CONFLICT'],
  },
  backtestAlertRule: {
    tag: 'alerts',
    role: 'viewer',
    summary: 'What a rule would have done over the history of a vault',
    errors: [...onVault, 'RANGE_REVERSED'],
  },
  ownAlertRules: {
    tag: 'alerts',
    role: 'viewer',
    summary: 'Rules that managers made for a vault, and the figures that rules can be about',
    errors: onVault,
  },
  createOwnAlertRule: {
    tag: 'alerts',
    role: 'secondary',
    summary: 'Make a rule over a figure of a vault',
    errors: [...onVault, 'TOO_MANY_RULES'],
  },
  changeOwnAlertRule: {
    tag: 'alerts',
    role: 'secondary',
    summary: 'Replace a rule that managers made',
    errors: [...onVault, 'RULE_NOT_FOUND', 'VERSION_CONFLICT'],
  },
  deleteOwnAlertRule: {
    tag: 'alerts',
    role: 'secondary',
    summary: 'Delete a rule that managers made; what it has open is resolved',
    errors: [...onVault, 'RULE_NOT_FOUND', 'VERSION_CONFLICT'],
  },
  backtestOwnAlertRule: {
    tag: 'alerts',
    role: 'viewer',
    summary: 'What a rule over a figure would have done over the history of a vault, before it is saved',
    errors: [...onVault, 'RANGE_REVERSED', 'NOT_READY'],
  },
  duty: { tag: 'alerts', role: 'viewer', summary: 'Who is on duty, who is next, and the weeks ahead', errors: onVault },
  dutyNow: {
    tag: 'alerts',
    role: 'anyone',
    summary: 'Who is on duty now, of every vault of the caller that has a rota',
  },
  setDuty: {
    tag: 'alerts',
    role: 'secondary',
    summary: 'Set who is on duty when, and what is escalated',
    errors: [...onVault, 'VERSION_CONFLICT'],
  },
  alertEvents: {
    tag: 'alerts',
    role: 'viewer',
    summary: 'Events of a vault after a sequence, as channels get them',
    errors: onVault,
  },
  getAlert: { tag: 'alerts', role: 'anyone', summary: 'One alert', errors: ofAlert },
  acknowledgeAlert: {
    tag: 'alerts',
    role: 'anyone',
    summary: 'Say that somebody is on it',
    errors: [...ofAlert, 'ALERT_RESOLVED'],
  },
  resolveAlert: { tag: 'alerts', role: 'anyone', summary: 'Close an alert by hand', errors: ofAlert },
  listChannels: { tag: 'notifications', role: 'anyone', summary: 'Own channels' },
  createChannel: {
    tag: 'notifications',
    role: 'manager of any vault',
    summary: 'Make a channel: Slack, email, Telegram, PagerDuty, Opsgenie, webhook or websocket',
    errors: ['ROLE_REQUIRED', 'ADDRESS_FORBIDDEN', 'TOO_MANY_CHANNELS'],
  },
  changeChannel: {
    tag: 'notifications',
    role: 'anyone',
    summary: 'Rename a channel, switch it, change where it goes',
    errors: [...ofChannel, 'ROLE_REQUIRED', 'ADDRESS_FORBIDDEN', 'VERSION_CONFLICT'],
  },
  deleteChannel: {
    tag: 'notifications',
    role: 'anyone',
    summary: 'Remove a channel from everywhere',
    errors: ofChannel,
  },
  testChannel: {
    tag: 'notifications',
    role: 'anyone',
    summary: 'Send a test event now',
    errors: [...ofChannel, 'ROLE_REQUIRED'],
  },
  listDeliveries: {
    tag: 'notifications',
    role: 'anyone',
    summary: 'What was sent to a channel and what came of it, newest first',
    errors: [...ofChannel, 'CURSOR_INVALID'],
  },
  vaultChannels: {
    tag: 'notifications',
    role: 'viewer',
    summary: 'Channels of a vault and how far each has come',
    errors: onVault,
  },
  bindVaultChannel: {
    tag: 'notifications',
    role: 'secondary',
    summary: 'Bind a channel of one’s own to a vault',
    errors: [...onVault, 'CHANNEL_NOT_FOUND'],
    otherStatuses: { 200: 'It was bound already' },
  },
  bindChannel: {
    tag: 'notifications',
    role: 'secondary',
    summary: 'Bind a channel of one’s own to a vault',
    errors: [...onVault, 'CHANNEL_NOT_FOUND'],
    otherStatuses: { 200: 'It was bound already' },
  },
  unbindChannel: { tag: 'notifications', role: 'secondary', summary: 'Take a channel from a vault', errors: onVault },
  replayChannel: {
    tag: 'notifications',
    role: 'secondary',
    summary: 'Deliver again from a sequence on',
    errors: [...onVault, 'CHANNEL_NOT_FOUND'],
  },
  redeliverChannel: {
    tag: 'notifications',
    role: 'secondary',
    summary: 'Try what waits now',
    errors: [...onVault, 'CHANNEL_NOT_FOUND'],
  },
} satisfies Record<string, Description>;
