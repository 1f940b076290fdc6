import { deviationThresholdBps } from '@castellan/chain';
import type { AuditRow, PreparedState } from '@castellan/contracts';

type Details = AuditRow['details'];
/** How a wallet is called: its name on the vault, or its address cut short. */
export type NameOf = (wallet: string) => string;
type Title = (details: Details, nameOf: NameOf) => string;

const isAddress = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value);
const isUint = (value: unknown): boolean => /^(0|[1-9]\d*)$/.test(String(value));

/** `0x1234…cdef`. */
export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** The wallet that an alert is about. */
const walletIn = (subject: unknown): string => /^wallet:(.+)$/.exec(String(subject))?.[1] ?? '';

/** Wallets a title can name. */
export const walletsIn = (details: Details): string[] =>
  [...Object.values(details), walletIn(details.subject)].filter(isAddress);

const wallet = (value: unknown, nameOf: NameOf): string => (isAddress(value) ? nameOf(value) : 'an unknown wallet');
const contract = (value: unknown): string => (isAddress(value) ? shortAddress(value) : 'a contract');
const text = (value: unknown): string => String(value ?? '').slice(0, 200);

const percents = new Intl.NumberFormat('en-US', {
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** Basis points as a percentage: 1050 is `10.50%`. */
const percent = (bps: unknown): string => (isUint(bps) ? percents.format(Number(bps) / 10_000) : 'an unknown share');

const units = [
  ['day', 86_400n],
  ['hour', 3600n],
  ['minute', 60n],
  ['second', 1n],
] as const;

/** Seconds as at most two units: `1 day 12 hours`. */
function duration(seconds: unknown): string {
  if (!isUint(seconds)) return 'an unknown time';
  let rest = BigInt(String(seconds));
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = rest / size;
    rest %= size;
    if (count > 0n && parts.length < 2) parts.push(`${count} ${unit}${count === 1n ? '' : 's'}`);
  }
  return parts.join(' ') || '0 seconds';
}

const fees = ({ performanceFeeBps, managementFeeBps }: Details): string =>
  `${percent(performanceFeeBps)} of profit, ${percent(managementFeeBps)} of deposits`;

function threshold({ deviationThreshold }: Details): string {
  if (!isUint(deviationThreshold)) return 'changed';
  const bps = deviationThresholdBps(BigInt(String(deviationThreshold)));
  return bps === null ? 'turned off' : `set to ${percents.format(bps / 10_000)}`;
}

const byHand = (d: Details): string => (d.note == null ? '' : `: ${text(d.note)}`);

const isPerson = (value: unknown): value is { name: unknown } =>
  typeof value === 'object' && value !== null && 'name' in value;

/** Which validator, service, wallet, strategy or promise an alert is about; nothing for one about the whole vault. */
function about({ subject, message }: Details, nameOf: NameOf): string {
  const [, kind, rest = ''] = /^(node|service|wallet|mandate|automation|strategy):(.+)$/.exec(text(subject)) ?? [];
  if (kind === 'node') return ` about validator ${rest}`;
  if (kind === 'service') return ` about the service ${rest}`;
  if (kind === 'wallet') return ` about ${wallet(rest, nameOf)}`;
  if (kind === 'mandate') return ` about the promise “${rest}”`;
  if (rest === 'vault:redemptions') return ' about paying redemptions';
  // A strategy is known to people by its name, which the message begins with, and not by its id.
  const [, name] = (kind && /^The strategy “(.+?)” (?:is in ERROR|failed)\./.exec(String(message))) || [];
  return name === undefined ? '' : ` about the strategy “${name}”`;
}

const alerted: Readonly<Record<string, Title>> = {
  alert_opened: (d) => `Alert: ${text(d.title)}. ${text(d.message)}`,
  alert_muted: (d, name) => `The alert “${text(d.title)}”${about(d, name)} was muted by ${text(d.inhibited_by)}`,
  alert_unmuted: (d, name) => `The alert “${text(d.title)}”${about(d, name)} is no longer muted`,
  alert_renamed: (d) => `An alert is now called “${text(d.title)}”`,
  alert_resolved: (d, name) => `The alert “${text(d.title)}”${about(d, name)} was resolved${byHand(d)}`,
  alert_acknowledged: (d, name) => `The alert “${text(d.title)}”${about(d, name)} was acknowledged${byHand(d)}`,
  alert_escalated: (d, name) =>
    `The alert “${text(d.title)}”${about(d, name)} was escalated${isPerson(d.escalated_to) ? ` to ${text(d.escalated_to.name)}` : ''}${byHand(d)}`,
  duty_rota_set: (d) => (d.rota == null ? 'Nobody is named as on duty any more' : 'It was set who is on duty'),
  notification_channel_quiet_hours_set: (d) =>
    d.quiet_hours == null
      ? `The channel “${text(d.name)}” has no quiet hours any more`
      : `Quiet hours of the channel “${text(d.name)}” were set`,
  notification_channel_receives_set: (d) =>
    `The channel “${text(d.name)}” gets ${d.receives === 'escalations' ? 'escalations only' : 'each step of an alert'}`,
  alert_rule_set: (d) => `The alert rule ${text(d.rule_id)} was changed`,
  own_alert_rule_created: (d) => `The alert rule “${text(d.title)}” was made`,
  own_alert_rule_changed: (d) => `The alert rule “${text(d.title)}” was changed`,
  own_alert_rule_deleted: (d) => `The alert rule “${text(d.title)}” was deleted`,
  notification_channel_bound: (d) => `Alerts are sent to the channel “${text(d.name)}”`,
  notification_channel_unbound: (d) => `Alerts are no longer sent to the channel “${text(d.name)}”`,
  notification_channel_replayed: (d) =>
    `Events from number ${text(d.from_sequence)} on are sent to the channel “${text(d.name)}” again`,
};

const chosen: Readonly<Record<string, Title>> = {
  scenarios_changed: (d) => `Version ${text(d.version)} of the scenarios of the risk table was chosen`,
};

const mandated: Readonly<Record<string, Title>> = {
  mandate_drafted: (d) => `Version ${text(d.version)} of the mandate was drafted`,
  mandate_enforced: (d) => `Version ${text(d.version)} of the mandate was put into force`,
  mandate_attested: (d) => `The mandate was attested for ${text(d.period)}: ${text(d.verdict)}`,
  mandate_breached: (d) => `The promise “${text(d.promise_id)}” of the mandate was broken`,
  mandate_breach_ended: (d) => `The promise “${text(d.promise_id)}” of the mandate is held again`,
  mandate_breach_undone: (d) =>
    `The chain was reorganised: the promise “${text(d.promise_id)}” of the mandate was not broken then`,
  mandate_breach_end_undone: (d) =>
    `The chain was reorganised: the promise “${text(d.promise_id)}” of the mandate was not held again then`,
  mandate_breach_acknowledged: (d) => `A breach of the promise “${text(d.promise_id)}” was acknowledged${byHand(d)}`,
};

const written: Readonly<Record<string, Title>> = {
  view_only_granted: (d, name) => `${wallet(d.wallet_address, name)} may view the vault`,
  view_only_revoked: (d, name) => `${wallet(d.wallet_address, name)} may no longer view the vault`,
  display_name_changed: (d) =>
    d.from == null
      ? `${contract(d.wallet_address)} is called ${text(d.to)}`
      : `${text(d.from)} is now called ${text(d.to)}`,
};

/** A job of a tree has a title however it ended. */
const treeTitle =
  (done: string, failed: string): Title =>
  ({ error }) =>
    error == null ? done : `${failed}: ${text(error)}`;
const trees: Readonly<Record<string, Title>> = {
  registry_hook_created: (d) => `The hook ${text(d.name)} was added to the registry`,
  registry_hook_updated: (d) => `The hook ${text(d.name)} in the registry was changed`,
  registry_hook_deleted: (d) => `The hook ${text(d.name)} was removed from the registry`,
  hook_config_created: (d) => `Version ${text(d.version)} of the hook configuration was created`,
  hook_config_activated: (d) => `Version ${text(d.version)} of the hook configuration was activated`,
  hooks_tree_generated: treeTitle('A hooks tree was generated', 'A hooks tree could not be generated'),
  hooks_tree_published: treeTitle('A hooks tree was published', 'A hooks tree could not be published'),
};

const rolesAndFees: Readonly<Record<string, Title>> = {
  vault_deployed: () => 'The vault was created',
  secondary_manager_added: (d, name) => `${wallet(d.manager, name)} became a secondary manager`,
  secondary_manager_removed: (d, name) => `${wallet(d.manager, name)} is no longer a secondary manager`,
  primary_manager_changed: (d, name) =>
    `${wallet(d.newManager, name)} became the primary manager in place of ${wallet(d.oldManager, name)}`,
  primary_manager_change_proposed: (d, name) => `${wallet(d.newManager, name)} was proposed as the primary manager`,
  primary_manager_change_cancelled: (d, name) =>
    `The proposal of ${wallet(d.cancelledManager, name)} as the primary manager was cancelled`,
  old_primary_manager_removed: (d, name) => `${wallet(d.oldManager, name)} was removed as the primary manager`,
  manager_takeovers_frozen: () => 'The governor gave up its right to replace primary managers',
  vault_fee_config_proposed: (d) => `New fees were proposed: ${fees(d)}`,
  vault_fee_config_updated: (d) => `Fees were set: ${fees(d)}`,
  fee_recipient_changed: (d, name) => `Fees are now paid to ${wallet(d.newRecipient, name)}`,
  performance_fee_skimmed: () => 'The performance fee was taken',
  high_water_mark_reset: () => 'The high-water mark was reset',
  fee_proposed: (d) => `A new protocol fee${isUint(d.value) ? ` of ${percent(d.value)}` : ''} was proposed`,
  fee_updated: (d) => `A protocol fee was set${isUint(d.value) ? ` to ${percent(d.value)}` : ''}`,
};

const prices: Readonly<Record<string, Title>> = {
  strategy_paused: () => 'The vault was paused',
  strategy_unpaused: () => 'The vault was unpaused',
  strategy_pps_stale: () => 'The price was marked as stale',
  strategy_pps_stale_reset: () => 'The price is no longer marked as stale',
  strategy_check_failed: (d) => `A price was refused: ${text(d.reason)}`,
  deviation_threshold_updated: (d) => `The deviation guard was ${threshold(d)}`,
  min_update_interval_change_proposed: (d) =>
    `A minimum of ${duration(d.newMinUpdateInterval)} between prices was proposed`,
  min_update_interval_changed: (d) => `The minimum time between prices is now ${duration(d.newMinUpdateInterval)}`,
  min_update_interval_change_rejected: (d) =>
    `A minimum of ${duration(d.proposedInterval)} between prices was rejected`,
  min_update_interval_change_cancelled: (d) =>
    `The proposed minimum of ${duration(d.cancelledInterval)} between prices was cancelled`,
  pps_expiration_proposed: (d) => `A price expiration of ${duration(d.ppsExpiration)} was proposed`,
  pps_expiry_threshold_updated: (d) => `Prices expire after ${duration(d.ppsExpiration)}`,
  pps_expiry_threshold_proposal_canceled: () => 'The proposed price expiration was cancelled',
  min_staleness_proposed: (d) => `A minimum staleness of ${duration(d.newMinStaleness)} was proposed`,
  min_staleness_changed: (d) => `The minimum staleness is now ${duration(d.newMinStaleness)}`,
};

const upkeep: Readonly<Record<string, Title>> = {
  upkeep_deposited: () => 'Upkeep was deposited',
  upkeep_withdrawal_proposed: () => 'A withdrawal of upkeep was proposed',
  upkeep_withdrawal_cancelled: () => 'The withdrawal of upkeep was cancelled',
  upkeep_withdrawn: () => 'Upkeep was withdrawn',
  insufficient_upkeep: () => 'A price was refused: the upkeep balance did not cover it',
  upkeep_payments_change_proposed: (d) => `Turning upkeep payments ${d.enabled ? 'on' : 'off'} was proposed`,
  upkeep_payments_changed: (d) => `Upkeep payments were turned ${d.enabled ? 'on' : 'off'}`,
};

const sources: Readonly<Record<string, Title>> = {
  yield_source_added: (d) => `The yield source ${contract(d.source)} was added`,
  yield_source_oracle_updated: (d) =>
    `The yield source ${contract(d.source)} is valued by the oracle ${contract(d.newOracle)}`,
  yield_source_removed: (d) => `The yield source ${contract(d.source)} was removed`,
  global_hooks_root_update_proposed: () => 'A new global hooks root was proposed',
  global_hooks_root_updated: () => 'The global hooks root was changed',
  global_hooks_root_veto_status_changed: (d) =>
    d.vetoed ? 'The global hooks root was vetoed' : 'The veto of the global hooks root was lifted',
  strategy_hooks_root_update_proposed: () => 'A new hooks root was proposed',
  strategy_hooks_root_updated: () => 'The hooks root was changed',
  strategy_hooks_root_veto_status_changed: (d) =>
    d.vetoed ? 'The hooks root was vetoed' : 'The veto of the hooks root was lifted',
  hooks_root_update_timelock_changed: (d) => `New hooks roots wait ${duration(d.newTimelock)}`,
  global_leaves_status_changed: () => 'Leaves of the global hooks root were banned or allowed',
  hook_approved: (d) => `The hook ${contract(d.hook)} was approved`,
  hook_removed: (d) => `The hook ${contract(d.hook)} was removed`,
};

const nodes: Readonly<Record<string, Title>> = {
  validator_config_set: (d) =>
    `The validators were set: ${(d.validators as unknown[] | undefined)?.length ?? 0}, of which ${text(d.quorum)} must sign`,
  active_pps_oracle_set: (d) => `Prices are reported through the oracle ${contract(d.oracle)}`,
  active_pps_oracle_proposed: (d) => `The price oracle ${contract(d.oracle)} was proposed`,
  active_pps_oracle_changed: (d) => `Prices are now reported through the oracle ${contract(d.newOracle)}`,
  chain_rolled_back: (d) => {
    const count = (d.voided as unknown[] | undefined)?.length ?? 0;
    return `The chain was reorganised: ${count} ${count === 1 ? 'change' : 'changes'} no longer ${count === 1 ? 'counts' : 'count'}`;
  },
};

/** The first sentence of what a call does; consequences follow it. */
const effectOf = ({ description }: Details): string => text(description).split(/\.\s/)[0]?.replace(/\.$/, '') ?? '';
const stateWords = {
  prepared: 'Prepared',
  broadcast: 'Sent',
  mined: 'Mined',
  confirmed: 'Confirmed',
  verified: 'Verified on chain',
  failed_post_condition: 'Mined without its effect',
  reverted: 'Refused by the chain',
  replaced: 'Replaced before it was mined',
  expired: 'Expired unsent',
} satisfies Record<PreparedState, string>;
const calls = Object.fromEntries(
  Object.entries(stateWords).map(([state, words]): [string, Title] => [
    `call_${state}`,
    (d) => `${words}: ${effectOf(d)}`,
  ]),
);

const lane = (value: unknown): string => text(value).toLowerCase();
const strategies: Readonly<Record<string, Title>> = {
  strategy_created: (d) => `The strategy “${text(d.name)}” was created`,
  strategy_updated: (d) => `The strategy “${text(d.name)}” was changed`,
  strategy_archived: (d) => `The strategy “${text(d.name)}” was archived`,
  strategy_state_changed: (d) => `The strategy “${text(d.name)}” went from ${text(d.from)} to ${text(d.to)}`,
  strategies_reordered: (d) => `The strategies in the ${lane(d.lane)} lane were reordered`,
  engine_limits_changed: (d) => `The limits of the engine were set; the kill switch is ${killed(d.to) ? 'on' : 'off'}`,
  allocation_targets_set: () => 'Targets and caps of the yield sources were set',
  simulation_saved: (d) => `The simulation “${text(d.name)}” was saved`,
  simulation_deleted: (d) => `The simulation “${text(d.name)}” was deleted`,
};
const killed = (to: unknown): boolean => (to as { kill_switch?: boolean } | null)?.kill_switch === true;

const mayDo = (scope: unknown): string => (scope === 'read' ? 'reads only' : 'reads and prepares calls');
const accounts: Readonly<Record<string, Title>> = {
  signed_in: () => 'Signed in',
  stepped_up: () => 'Signed again to confirm a sensitive change',
  token_created: (d) => `The token “${text(d.name)}” was created; it ${mayDo(d.scope)}`,
  session_revoked: () => 'A session or token was revoked',
  signing_key_rotated: (d) =>
    d.why === 'asked'
      ? `${text(d.asked_by)} had a new key for signing tokens made: ${text(d.reason)}`
      : 'A new key for signing tokens was made',
  attestation_key_rotated: () => 'A new key for attestations of mandates was made',
};

const titles = new Map(
  Object.entries({
    ...written,
    ...trees,
    ...alerted,
    ...chosen,
    ...mandated,
    ...calls,
    ...accounts,
    ...strategies,
    ...rolesAndFees,
    ...prices,
    ...upkeep,
    ...sources,
    ...nodes,
  } as Record<string, Title>),
);

/** Whether there is a sentence of its own for this kind of row. */
export const hasTitle = (actionType: string): boolean => titles.has(actionType);

/**
 * What the row says, in words, without a full stop, however a text in it ends. Rows of other services without a sentence here are
 * called by their `action_type`.
 */
export function titleOf({ action_type, details }: Pick<AuditRow, 'action_type' | 'details'>, nameOf: NameOf): string {
  const title = titles.get(action_type);
  if (title) return title(details, nameOf).replace(/(?<!\.)\.$/, '');
  const words = action_type.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
