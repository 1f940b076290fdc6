import type { AlertRuleId } from '@castellan/contracts';
import { formatDuration, formatShare, formatTime, formatWei } from '../../journal/domain/format.ts';
import type { Proposal, Settings, SignalKind } from '../../journal/domain/journal.ts';
import { deviationMessage, runwayMessage, waitingRedemptionsMessage } from './finding-messages.ts';
import { whilePaused, whileUnfunded } from './inhibitors.ts';
import type { Figures, Finding, Inhibitor, Rule, RuleInput } from './rule.ts';
import { staleMembers } from './stale-nodes.ts';
import { nextRunway, upkeepRunway } from './upkeep-runway.ts';

const VAULT = 'vault';
const DAY = 86_400;
const settings = (thresholds: Record<string, number> = {}, for_seconds = 0, clear_seconds = 0): Settings => ({
  enabled: true,
  thresholds,
  for_seconds,
  clear_seconds,
  owner: 'Primary manager',
});
/** Figures that move all the time: no alert for a moment's excursion, no end for a moment's relief. */
const measured = (thresholds: Record<string, number>): Settings => settings(thresholds, 60, 300);

/** An open alert ends only once the runway is this much longer than its threshold. */
const RUNWAY_RELIEF = 1.05;

const one = (message: string, facts: Figures = {}, subject = VAULT): Finding[] => [{ subject, message, facts }];
const limitOf = ({ thresholds }: RuleInput, name: string): number => thresholds[name] as number;

/** Seconds until the price expires; negative once it has. */
const remainingOf = ({ facts, time }: RuleInput): number | undefined =>
  facts.state ? facts.state.expiration_seconds - (time - facts.state.last_update) : undefined;

function staleness(input: RuleInput, share: number): Finding[] {
  const { state } = input.facts;
  const remaining = remainingOf(input);
  if (state === null || remaining === undefined) return [];
  const isLow = remaining <= share * state.expiration_seconds;
  if (!isLow && !state.is_stale) return [];
  const facts = {
    remaining_seconds: Math.max(0, remaining),
    expiration_seconds: state.expiration_seconds,
    last_update: formatTime(state.last_update),
    is_pps_stale: state.is_stale,
  };
  const words = remaining <= 0 ? 'The price has expired' : `The price expires in ${formatDuration(remaining)}`;
  return one(`${words}; the last update was ${formatTime(state.last_update)}.`, facts);
}

const becomesStaleAt: Rule['changesAt'] = ({ facts: { state }, thresholds }) =>
  state
    ? Math.ceil(state.last_update + state.expiration_seconds * (1 - (thresholds.remaining_share as number)))
    : undefined;

/** Another proposal is another subject: one that replaces a published one is published too. */
function pending(what: Proposal, words: (detail: string, at: string) => string) {
  return ({ facts }: RuleInput): Finding[] => {
    const proposal = facts.proposals.get(what);
    if (!proposal) return [];
    const at = formatTime(proposal.effectiveAt);
    const subject = `proposal:${proposal.effectiveAt}:${proposal.detail}`;
    return one(words(proposal.detail, at), { proposed: proposal.detail, effective_at: at }, subject);
  };
}

function successRate(input: RuleInput): Finding[] {
  const { transmissions } = input.facts.sample;
  if (!transmissions || transmissions.attempts < limitOf(input, 'min_attempts')) return [];
  const rate = transmissions.successes / transmissions.attempts;
  const limit = limitOf(input, 'success_rate');
  if (rate >= limit) return [];
  return one(
    `${transmissions.successes} of the last ${transmissions.attempts} price transmissions were accepted (${formatShare(rate)}); at least ${formatShare(limit)} should be.`,
    { ...transmissions, success_rate: rate, threshold: limit },
  );
}

const failing =
  (kind: SignalKind) =>
  ({ facts }: RuleInput): Finding[] =>
    [...facts.failing.values()]
      .filter((item) => item.kind === kind)
      .map(({ subject, detail }) => ({ subject: `${kind}:${subject}`, message: detail, facts: { detail } }));

const define = (rule: Omit<Rule, 'inhibitors'> & { inhibitors?: readonly Inhibitor[] }): Rule => ({
  inhibitors: [],
  ...rule,
});

/** All rules. Those that inhibit others stand alone: no rule inhibits them in turn. */
export const rules: Readonly<Record<AlertRuleId, Rule>> = {
  pps_staleness_warning: define({
    title: 'Price stale',
    description: 'The price expires soon: less time is left than the set share of its lifetime.',
    severity: 'warning',
    source: 'pps_monitor',
    defaults: settings({ remaining_share: 0.5 }),
    inhibitors: [
      whilePaused,
      { rule_id: 'pps_staleness_critical', effect: 'mute', reason: 'The critical alert about the same price is open.' },
      whileUnfunded,
    ],
    find: (input) => staleness(input, limitOf(input, 'remaining_share')),
    changesAt: becomesStaleAt,
  }),
  pps_staleness_critical: define({
    title: 'Price stale, critical',
    description:
      'The price is about to expire, has expired, or is marked as stale on chain. Once it has expired or is stale, deposits and redemptions are refused.',
    severity: 'critical',
    source: 'pps_monitor',
    defaults: settings({ remaining_share: 0.2 }),
    inhibitors: [whilePaused, whileUnfunded],
    find: (input) => staleness(input, limitOf(input, 'remaining_share')),
    changesAt: becomesStaleAt,
  }),
  awaiting_price: define({
    title: 'Waiting for a price',
    description: 'No price has been reported since the vault was unpaused.',
    severity: 'warning',
    source: 'pps_monitor',
    defaults: settings({ waiting_seconds: 3_600 }),
    inhibitors: [whilePaused],
    changesAt: ({ facts: { awaitingSince }, thresholds }) =>
      awaitingSince === null ? undefined : Math.ceil(awaitingSince + (thresholds.waiting_seconds as number)),
    find: (input) => {
      const { awaitingSince } = input.facts;
      if (awaitingSince === null || input.time - awaitingSince < limitOf(input, 'waiting_seconds')) return [];
      return one(`No price has been reported since ${formatTime(awaitingSince)}. Deposits are refused until one is.`, {
        since: formatTime(awaitingSince),
      });
    },
  }),
  price_check_failed: define({
    title: 'Price report refused',
    description: 'The contract refused the last price report: deviation guard, dispersion or quorum.',
    severity: 'warning',
    source: 'pps_monitor',
    defaults: settings(),
    inhibitors: [whilePaused],
    find: ({ facts: { refusal } }) =>
      refusal
        ? one(`The contract has refused price reports since ${formatTime(refusal.since)}. Reason: ${refusal.reason}.`, {
            reason: refusal.reason,
          })
        : [],
  }),
  pps_deviation: define({
    title: 'The next price would pause the vault',
    description: 'The calculated price is so far from the current one that reporting it would pause the vault.',
    severity: 'critical',
    source: 'pps_monitor',
    defaults: measured({ guard_share: 1 }),
    inhibitors: [whilePaused],
    find: (input) => {
      const { divergence_bps: divergence = null, guard_bps: guard = null } = input.facts.state ?? {};
      if (divergence === null || guard === null) return [];
      const limit = guard * limitOf(input, 'guard_share') * (input.isOpen(VAULT) ? 0.95 : 1);
      if (Math.abs(divergence) <= limit) return [];
      return one(deviationMessage(divergence, guard), {
        divergence_bps: divergence,
        guard_bps: guard,
      });
    },
  }),
  redemption_queue: define({
    title: 'High redemption queue',
    description: 'Too many redemptions are waiting, or one has waited too long.',
    severity: 'warning',
    source: 'redemption_monitor',
    defaults: measured({ pending_requests: 10, oldest_seconds: 3 * DAY }),
    changesAt: ({ facts: { requests }, thresholds }) =>
      requests.size === 0
        ? undefined
        : Math.floor(Math.min(...requests.values()) + (thresholds.oldest_seconds as number)) + 1,
    find: (input) => {
      const { requests } = input.facts;
      const oldest = requests.size === 0 ? 0 : input.time - Math.min(...requests.values());
      const isLong = requests.size > limitOf(input, 'pending_requests');
      if (!isLong && oldest <= limitOf(input, 'oldest_seconds')) return [];
      return one(waitingRedemptionsMessage(requests.size, oldest), {
        pending_requests: requests.size,
        oldest_seconds: oldest,
      });
    },
  }),
  low_gas: define({
    title: 'Low gas balance',
    description: 'A wallet that sends transactions for the vault can soon no longer pay for gas.',
    severity: 'critical',
    source: 'gas_monitor',
    defaults: measured({ balance_wei: 5e16 }),
    find: (input) =>
      (input.facts.sample.gas ?? []).flatMap(({ wallet, role, balance }) => {
        const subject = `wallet:${wallet}`;
        const limit = limitOf(input, 'balance_wei') * (input.isOpen(subject) ? 1.1 : 1);
        if (BigInt(balance) >= BigInt(Math.round(limit))) return [];
        const message = `The ${role} ${wallet} has ${formatWei(balance)} of the native coin left for gas.`;
        return one(message, { wallet_address: wallet, role, balance_wei: balance }, subject);
      }),
  }),
  low_upkeep: define({
    title: 'Low upkeep balance',
    description: 'At the pace of the last 24 hours the upkeep balance will not last as long as it should.',
    severity: 'warning',
    source: 'upkeep_monitor',
    defaults: settings({ runway_seconds: 7 * DAY }, 0, 300),
    inhibitors: [{ rule_id: 'upkeep_empty', effect: 'mute', reason: 'The alert about the empty upkeep is open.' }],
    changesAt: ({ facts, time, thresholds }) =>
      nextRunway(facts, time, (thresholds.runway_seconds as number) * RUNWAY_RELIEF),
    find: (input) => {
      const runway = upkeepRunway(input.facts, input.time);
      const limit = limitOf(input, 'runway_seconds') * (input.isOpen(VAULT) ? RUNWAY_RELIEF : 1);
      if (runway === null || runway.seconds >= limit) return [];
      return one(runwayMessage(runway), {
        runway_seconds: runway.seconds,
        balance: input.facts.state?.upkeep_balance ?? null,
      });
    },
  }),
  upkeep_empty: define({
    title: 'Upkeep empty',
    description: 'The upkeep balance does not cover one price update: the price will expire.',
    severity: 'critical',
    source: 'upkeep_monitor',
    defaults: settings(),
    find: ({ facts: { state } }) => {
      if (!state?.upkeep_enabled || state.upkeep_cost === null) return [];
      if (BigInt(state.upkeep_balance) >= BigInt(state.upkeep_cost)) return [];
      return one('The upkeep balance does not cover one price update. Top it up, or the price expires.', {
        balance: state.upkeep_balance,
        cost_per_update: state.upkeep_cost,
      });
    },
  }),
  service_down: define({
    title: 'Service down',
    description:
      'A service the vault depends on, such as the keeper, has stopped answering. One that this release does not have counts as retired after 24 hours.',
    severity: 'critical',
    source: 'service_monitor',
    defaults: settings({}, 60, 60),
    find: ({ facts }) =>
      (facts.sample.services ?? [])
        .filter(({ up }) => !up)
        .flatMap(({ name }) => one(`The service ${name} has stopped answering.`, { service: name }, `service:${name}`)),
  }),
  success_rate_low: define({
    title: 'Success rate low',
    description: 'Too few of the last price transmissions were accepted.',
    severity: 'warning',
    source: 'service_monitor',
    defaults: measured({ success_rate: 0.95, min_attempts: 5 }),
    inhibitors: [
      whilePaused,
      { rule_id: 'success_rate_critical', effect: 'mute', reason: 'The critical alert about the same rate is open.' },
    ],
    find: successRate,
  }),
  success_rate_critical: define({
    title: 'Success rate critical',
    description: 'Far too few of the last price transmissions were accepted.',
    severity: 'critical',
    source: 'service_monitor',
    defaults: measured({ success_rate: 0.8, min_attempts: 5 }),
    inhibitors: [whilePaused],
    find: successRate,
  }),
  strategy_error: define({
    title: 'Strategy error',
    description: 'An automated strategy of the vault has stopped with an error.',
    severity: 'warning',
    source: 'strategy_monitor',
    defaults: settings(),
    find: failing('strategy'),
  }),
  automation_failed: define({
    title: 'Automation failed',
    description: 'A keeper run, an emergency exit or a hook proof has failed.',
    severity: 'warning',
    source: 'strategy_monitor',
    defaults: settings(),
    find: failing('automation'),
  }),
  mandate_breached: define({
    title: 'Mandate breached',
    description: 'A promise of the mandate in force is broken.',
    severity: 'critical',
    source: 'mandate',
    defaults: settings(),
    find: failing('mandate'),
  }),
  node_down: define({
    title: 'Validator down',
    description: 'A validator takes no part in the rounds that price the vault.',
    severity: 'critical',
    source: 'validator_monitor',
    defaults: settings({}, 60, 60),
    find: ({ facts }) =>
      (facts.sample.nodes ?? [])
        .filter(({ silent }) => silent)
        .flatMap(({ index }) =>
          one(`Validator ${index} took part in none of the last rounds.`, { node_index: index }, `node:${index}`),
        ),
  }),
  node_price_stale: define({
    title: 'Validator misses a price',
    description: 'A validator has seen no new price of the vault for longer than its check interval.',
    severity: 'warning',
    source: 'validator_monitor',
    defaults: settings({}, 60, 60),
    inhibitors: [
      {
        rule_id: 'node_down',
        effect: 'mute',
        reason: 'The validator is down, so its last word on this price is out of date.',
        sameSubject: true,
      },
      whilePaused,
    ],
    find: ({ facts }) =>
      staleMembers(facts.staleNodes, facts.sample.nodes).flatMap((index) =>
        one(
          `Validator ${index} has seen no new price of this vault for too long.`,
          { node_index: index },
          `node:${index}`,
        ),
      ),
  }),
  vault_paused: define({
    title: 'Vault paused',
    description: 'Deposits and price updates are refused until a manager unpauses the vault.',
    severity: 'critical',
    source: 'pause_monitor',
    defaults: settings(),
    find: ({ facts: { pausedSince } }) =>
      pausedSince === null
        ? []
        : one(`The vault has been paused since ${formatTime(pausedSince)}.`, { since: formatTime(pausedSince) }),
  }),
  strategy_vetoed: define({
    title: 'Strategy vetoed',
    description: 'A hooks root is vetoed: calls that need a proof under it are refused.',
    severity: 'critical',
    source: 'merkle_monitor',
    defaults: settings(),
    find: ({ facts }) =>
      [...facts.vetoes].flatMap((scope) => one(`The ${scope} hooks root is vetoed.`, { scope }, `root:${scope}`)),
  }),
  manager_change_pending: define({
    title: 'Change of the primary manager pending',
    description: 'Another primary manager is proposed. Once the change takes effect, that wallet controls the vault.',
    severity: 'critical',
    source: 'governance_monitor',
    defaults: settings(),
    find: pending('manager', (detail, at) => `${detail} is proposed as primary manager and can take over from ${at}.`),
  }),
  root_change_pending: define({
    title: 'Change of the hooks root pending',
    description: 'A new hooks root is proposed and waits for its timelock.',
    severity: 'info',
    source: 'merkle_monitor',
    defaults: settings(),
    find: pending('root', (detail, at) => `The hooks root ${detail} can take effect from ${at}.`),
  }),
  fee_change_pending: define({
    title: 'Fee change pending',
    description: 'New fees are proposed and wait for their timelock.',
    severity: 'info',
    source: 'governance_monitor',
    defaults: settings(),
    find: pending('fees', (detail, at) => `New fees can take effect from ${at}: ${detail}.`),
  }),
  upkeep_withdrawal_pending: define({
    title: 'Withdrawal of upkeep pending',
    description: 'A withdrawal of the upkeep balance is proposed and waits for its timelock.',
    severity: 'info',
    source: 'governance_monitor',
    defaults: settings(),
    // The proposal is of all there is; its amount is among the facts, in base units of a token that the log does not name.
    find: pending('upkeep_withdrawal', (_amount, at) => `The whole upkeep balance can be withdrawn from ${at}.`),
  }),
  pause_proof_failing: define({
    title: 'Panic button not proven',
    description: 'In the last test no manager could have paused the vault, or the last test is too long ago.',
    severity: 'critical',
    source: 'pause_monitor',
    defaults: settings({}, 300, 0),
    find: ({ facts }) => {
      const proof = facts.sample.pause_proof;
      if (!proof || (proof.ok && !proof.old)) return [];
      const message = proof.old
        ? 'The pause has not been tested for more than two hours.'
        : `In the last test no manager could pause the vault. Reason: ${proof.reason ?? 'the chain refuses the call'}.`;
      return one(message, { ok: proof.ok, is_old: proof.old, reason: proof.reason });
    },
  }),
};
