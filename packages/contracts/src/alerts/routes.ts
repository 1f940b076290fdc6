import { z } from 'zod';
import { Address, ChainId, ChainIdParam, CursorParam, LimitParam } from '../primitives.ts';
import { route } from '../route.ts';
import { AcknowledgeAlert, Alert, AlertNote, GetAlert, ListAlertEvents, ResolveAlert } from './alerts.ts';
import {
  BindChannel,
  ChangeChannel,
  ChannelBinding,
  ChannelReceives,
  CreateChannel,
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
import { Duty, GetDuty, ListDuty, SetDuty } from './duty.ts';
import { alertListRoute } from './list-route.ts';
import {
  AlertRule,
  AlertRuleId,
  AlertSettingsChange,
  AlertSeverity,
  BacktestAlertRule,
  ListAlertRules,
  SetAlertRule,
} from './rules.ts';

const none = z.strictObject({});
const alertPath = z.strictObject({ id: z.string().min(1).max(100) });
const rulePath = z.strictObject({ rule_id: AlertRuleId });
const channelPath = z.strictObject({ channel_id: z.string().min(1).max(100) });
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });
const bindingPath = z.strictObject({ ...vaultPath.shape, ...channelPath.shape });
const vaultQuery = { vault_address: Address, chain_id: ChainIdParam };
const vaultBody = { vault_address: Address, chain_id: ChainId };
/** The body of what a person says of an alert. */
export const AlertNoteInBody = z.strictObject({ note: AlertNote.optional() });
const Sequence = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,14})$/, 'must be a sequence number')
  .transform(Number);

const bound = ({ created, binding }: { created: boolean; binding: unknown }) => ({
  status: created ? 201 : 200,
  body: binding,
});

/** Alerts, their rules, and the channels that deliver them. */
export const alerts = {
  ...alertListRoute,
  /** @example const { rules } = await client.alertRules({ query: vault }); */
  alertRules: route({
    id: 'alertRules',
    method: 'GET',
    path: '/api/v1/alerts/rules',
    auth: 'bearer',
    params: none,
    query: z.strictObject(vaultQuery),
    body: undefined,
    action: ListAlertRules,
    result: ListAlertRules.result,
    cache: 'etag',
  }),
  /**
   * @example
   * const rule_id = 'pps_staleness_warning';
   * await client.setAlertRule({ params: { rule_id }, body: { ...target, version: 0, enabled: false } });
   */
  setAlertRule: route({
    id: 'setAlertRule',
    method: 'PUT',
    path: '/api/v1/alerts/rules/{rule_id}',
    auth: 'bearer',
    params: rulePath,
    query: none,
    body: z.strictObject({ ...vaultBody, version: z.int().nonnegative(), ...AlertSettingsChange.shape }),
    action: SetAlertRule,
    result: AlertRule,
  }),
  /**
   * @example
   * const rule_id = 'pps_staleness_warning';
   * const { episodes } = await client.backtestAlertRule({ params: { rule_id }, body: target });
   */
  backtestAlertRule: route({
    id: 'backtestAlertRule',
    method: 'POST',
    path: '/api/v1/alerts/rules/{rule_id}/backtest',
    auth: 'bearer',
    params: rulePath,
    query: none,
    body: BacktestAlertRule.params.omit({ rule_id: true }),
    action: BacktestAlertRule,
    result: BacktestAlertRule.result,
    rate: 'prepare',
    scope: 'read',
  }),
  /** @example const { on_duty, next } = await client.duty({ params: vault }); */
  duty: route({
    id: 'duty',
    method: 'GET',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/duty',
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: undefined,
    action: GetDuty,
    result: Duty,
  }),
  /** @example const { vaults } = await client.dutyNow({}); */
  dutyNow: route({
    id: 'dutyNow',
    method: 'GET',
    path: '/api/v1/alerts/duty',
    auth: 'bearer',
    openToBoundTokens: true,
    params: none,
    query: none,
    body: undefined,
    action: ListDuty,
    result: ListDuty.result,
  }),
  /** @example await client.setDuty({ params: vault, body: { version: 0, rota: null } }); */
  setDuty: route({
    id: 'setDuty',
    method: 'PUT',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/duty',
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: SetDuty.params.pick({ version: true, rota: true }),
    action: SetDuty,
    result: Duty,
  }),
  /** @example const { events } = await client.alertEvents({ query: { ...vault, after_sequence: '41' } }); */
  alertEvents: route({
    id: 'alertEvents',
    method: 'GET',
    path: '/api/v1/alerts/events',
    auth: 'bearer',
    params: none,
    query: z.strictObject({ ...vaultQuery, after_sequence: Sequence.optional(), limit: LimitParam.optional() }),
    body: undefined,
    action: ListAlertEvents,
    result: ListAlertEvents.result,
  }),
  /** @example const { status, severity } = await client.getAlert({ params: { id } }); */
  getAlert: route({
    id: 'getAlert',
    method: 'GET',
    path: '/api/v1/alerts/{id}',
    auth: 'bearer',
    openToBoundTokens: true,
    params: alertPath,
    query: none,
    body: undefined,
    action: GetAlert,
    result: Alert,
    cache: 'etag',
  }),
  /** @example await client.acknowledgeAlert({ params: { id }, body: { note: 'Topping up the upkeep' } }); */
  acknowledgeAlert: route({
    id: 'acknowledgeAlert',
    method: 'POST',
    path: '/api/v1/alerts/{id}/acknowledge',
    auth: 'bearer',
    openToBoundTokens: true,
    params: alertPath,
    query: none,
    body: AlertNoteInBody,
    action: AcknowledgeAlert,
    result: Alert,
  }),
  /** @example await client.resolveAlert({ params: { id }, body: { note: 'Topped up' } }); */
  resolveAlert: route({
    id: 'resolveAlert',
    method: 'POST',
    path: '/api/v1/alerts/{id}/resolve',
    auth: 'bearer',
    openToBoundTokens: true,
    params: alertPath,
    query: none,
    body: AlertNoteInBody,
    action: ResolveAlert,
    result: Alert,
  }),
  /** @example const { channels } = await client.listChannels({}); */
  listChannels: route({
    id: 'listChannels',
    method: 'GET',
    path: '/api/v1/notification-channels',
    auth: 'bearer',
    params: none,
    query: none,
    body: undefined,
    action: ListChannels,
    result: ListChannels.result,
  }),
  /**
   * @example
   * const config = { url: 'https://hooks.example.org/castellan' };
   * const channel = await client.createChannel({ body: { provider: 'webhook', name: 'On call', config } });
   */
  createChannel: route({
    id: 'createChannel',
    method: 'POST',
    path: '/api/v1/notification-channels',
    auth: 'bearer',
    params: none,
    query: none,
    body: CreateChannel.params,
    action: CreateChannel,
    result: CreateChannel.result,
    status: 201,
  }),
  /** @example await client.changeChannel({ params: { channel_id }, body: { version: 1, is_active: false } }); */
  changeChannel: route({
    id: 'changeChannel',
    method: 'PATCH',
    path: '/api/v1/notification-channels/{channel_id}',
    auth: 'bearer',
    params: channelPath,
    query: none,
    body: ChangeChannel.params.omit({ channel_id: true }),
    action: ChangeChannel,
    result: NotificationChannel,
  }),
  /** @example await client.deleteChannel({ params: { channel_id } }); */
  deleteChannel: route({
    id: 'deleteChannel',
    method: 'DELETE',
    path: '/api/v1/notification-channels/{channel_id}',
    auth: 'bearer',
    params: channelPath,
    query: none,
    body: undefined,
    action: DeleteChannel,
    result: z.null(),
    status: 204,
    toAnswer: () => ({ status: 204, body: null }),
  }),
  /** @example const delivery = await client.testChannel({ params: { channel_id } }); */
  testChannel: route({
    id: 'testChannel',
    method: 'POST',
    path: '/api/v1/notification-channels/{channel_id}/test',
    auth: 'bearer',
    params: channelPath,
    query: none,
    body: undefined,
    action: TestChannel,
    result: Delivery,
    rate: 'prepare',
    scope: 'full',
  }),
  /**
   * @example
   * const { deliveries } = await client.listDeliveries({ params: { channel_id }, query: { limit: '20' } });
   */
  listDeliveries: route({
    id: 'listDeliveries',
    method: 'GET',
    path: '/api/v1/notification-channels/{channel_id}/deliveries',
    auth: 'bearer',
    params: channelPath,
    query: z.strictObject({ limit: LimitParam.optional(), cursor: CursorParam.optional() }),
    body: undefined,
    action: ListDeliveries,
    result: ListDeliveries.result,
  }),
  /** @example const { channels } = await client.vaultChannels({ params: vault }); */
  vaultChannels: route({
    id: 'vaultChannels',
    method: 'GET',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/notification-channels',
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: undefined,
    action: ListVaultChannels,
    result: ListVaultChannels.result,
  }),
  /** @example await client.bindVaultChannel({ params: vault, body: { channel_id, min_severity: 'critical' } }); */
  bindVaultChannel: route({
    id: 'bindVaultChannel',
    method: 'POST',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/notification-channels',
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: z.strictObject({
      channel_id: channelPath.shape.channel_id,
      min_severity: AlertSeverity.optional(),
      receives: ChannelReceives.optional(),
    }),
    action: BindChannel,
    result: ChannelBinding,
    status: 201,
    toAnswer: bound,
  }),
  /** @example await client.bindChannel({ params: { ...vault, channel_id }, body: {} }); */
  bindChannel: route({
    id: 'bindChannel',
    method: 'POST',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}',
    auth: 'bearer',
    params: bindingPath,
    query: none,
    body: z.strictObject({ min_severity: AlertSeverity.optional(), receives: ChannelReceives.optional() }).default({}),
    action: BindChannel,
    result: ChannelBinding,
    status: 201,
    toAnswer: bound,
  }),
  /** @example await client.unbindChannel({ params: { ...vault, channel_id } }); */
  unbindChannel: route({
    id: 'unbindChannel',
    method: 'DELETE',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}',
    auth: 'bearer',
    params: bindingPath,
    query: none,
    body: undefined,
    action: UnbindChannel,
    result: z.null(),
    status: 204,
    toAnswer: () => ({ status: 204, body: null }),
  }),
  /** @example await client.replayChannel({ params: { ...vault, channel_id }, body: { from_sequence: 42 } }); */
  replayChannel: route({
    id: 'replayChannel',
    method: 'POST',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}/replay',
    auth: 'bearer',
    params: bindingPath,
    query: none,
    body: z.strictObject({ from_sequence: z.int().positive() }),
    action: ReplayChannel,
    result: ChannelBinding,
    status: 202,
  }),
  /** @example await client.redeliverChannel({ params: { ...vault, channel_id } }); */
  redeliverChannel: route({
    id: 'redeliverChannel',
    method: 'POST',
    path: '/api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}/redeliver',
    auth: 'bearer',
    params: bindingPath,
    query: none,
    body: undefined,
    action: RedeliverChannel,
    result: ChannelBinding,
    status: 202,
  }),
};
