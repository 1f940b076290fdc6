import '../../test/browser.ts';
import { anAddress, aPublicVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { AlertsPage } from './alerts-page.tsx';
import type { Alert, AlertRule, Binding, Channel, Delivery, OwnRule, OwnRules } from './queries.ts';

/** What the tests of the alerts page show it: one alert, one rule, one channel. */

export const self = anAddress(0x10);
export const vault = aPublicVault();
export const anAlert = (parts: Partial<Alert> = {}): Alert => ({
  alert_id: 'al_1',
  rule_id: 'vault_paused',
  severity: 'critical',
  status: 'active',
  chain_id: vault.chain_id,
  vault_address: vault.vault_address,
  vault_name: vault.name,
  subject: 'vault',
  title: 'Vault paused',
  message: 'Paused since noon.',
  facts: {},
  inhibited_by: null,
  owner: 'Night desk',
  runbook_url: 'docs/runbooks/alerts.md#vault_paused',
  source: 'pause_monitor',
  opened_at: '2026-01-01T00:00:00Z',
  block_number: 1,
  acknowledged_by: null,
  acknowledged_at: null,
  note: null,
  resolved_at: null,
  resolved_by: null,
  is_replayed: false,
  version: 1,
  ...parts,
});
export const settings = {
  enabled: true,
  thresholds: { pending_requests: 10 },
  for_seconds: 60,
  clear_seconds: 300,
  owner: 'Desk',
};
export const rule: AlertRule = {
  rule_id: 'redemption_queue',
  title: 'High redemption queue',
  description: 'More wait than should.',
  severity: 'warning',
  runbook_url: 'docs/runbooks/alerts.md#redemption_queue',
  inhibited_by: [],
  settings,
  defaults: settings,
  version: 3,
  updated_by: null,
  updated_at: null,
};
export const anOwnRule = (parts: Partial<OwnRule> = {}): OwnRule => ({
  rule_id: 'own_0123456789abcdef01234567',
  title: 'Value too low',
  text: '',
  metric: 'tvl_asset',
  unit: 'asset',
  comparison: 'below',
  threshold: '1000500000',
  within_seconds: null,
  severity: 'critical',
  enabled: true,
  for_seconds: 300,
  clear_seconds: 0,
  owner: 'Desk',
  channels: null,
  runbook_url: 'docs/runbooks/alerts.md#own_rule',
  version: 2,
  created_by: self,
  created_at: '2026-01-01T00:00:00Z',
  updated_by: self,
  updated_at: '2026-01-02T00:00:00Z',
  ...parts,
});
export const ownRules = (...rules: OwnRule[]): OwnRules => ({
  rules,
  most: 50,
  metrics: [
    {
      metric: 'tvl_asset',
      title: 'Value of the vault',
      unit: 'asset',
      source: 'analyticsOverview: tvl_asset',
      known: 'Once the vault has a price.',
    },
    {
      metric: 'apy_7d',
      title: 'APY over 7 days',
      unit: 'fraction',
      source: 'analyticsOverview: apy.d7',
      known: 'At every observation.',
    },
  ],
  asset: { symbol: 'USDC', decimals: 6 },
});
export const channel: Channel = {
  channel_id: 'ch_1',
  provider: 'webhook',
  name: 'Desk hook',
  config: { url: 'https://example.com/…', to: null, has_secret: true },
  is_active: true,
  quiet_hours: null,
  created_by: self,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  version: 1,
  vaults: [],
};
export const aBinding = (parts: Partial<Binding> = {}): Binding => ({
  channel,
  min_severity: 'info',
  receives: 'all',
  held_back: 0,
  bound_by: self,
  bound_at: '2026-01-01T00:00:00Z',
  state: 'idle',
  next_sequence: 9,
  head_sequence: 8,
  waiting: 0,
  last_delivered_at: '2026-01-01T12:00:00Z',
  next_attempt_at: null,
  ...parts,
});
export const aDelivery = (parts: Partial<Delivery> = {}): Delivery => ({
  delivery_id: 'dl_1',
  channel_id: 'ch_1',
  chain_id: null,
  vault_address: null,
  sequence: null,
  event_id: 'e',
  event_type: 'test',
  attempt: 1,
  t: '2026-01-01T00:00:00Z',
  outcome: 'delivered',
  http_status: 200,
  reason: null,
  duration_ms: 3,
  ...parts,
});
export const answer = (alerts: Alert[], active = alerts.length) => ({
  alerts,
  total: alerts.length,
  has_more: false,
  next_cursor: null,
  counts: {
    by_status: { active, acknowledged: 2, resolved: 30, muted: 4 },
    by_severity: { critical: active, warning: 0, info: 0 },
    total: active + 36,
    by_vault: [],
  },
});
const mine = (my_role: string) => async () => ({
  vaults: [{ ...vault, my_role }],
  total: 1,
  has_more: false,
  next_cursor: null,
});
export const open = (
  answers: Parameters<typeof fakeApi>[0] = {},
  role = 'primary_manager',
  page = <AlertsPage />,
  url = '/',
) =>
  renderPage(page, {
    api: fakeApi({
      listAlerts: async () => answer([anAlert()]),
      myVaults: mine(role),
      alertRules: async () => ({ rules: [rule] }),
      ownAlertRules: async () => ownRules(),
      vaultChannels: async () => ({ channels: [] }),
      listChannels: async () => ({ channels: [channel] }),
      dutyNow: async () => ({ vaults: [] }),
      ...answers,
    }),
    address: self,
    url,
  });
