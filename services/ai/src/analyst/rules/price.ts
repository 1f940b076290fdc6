import type { Topic } from './topic.ts';
import { either, type Phrase, plain, safeName, together } from './writer.ts';

const lateReasons: Readonly<Record<string, string>> = {
  paused: 'the vault is paused, and the contract takes no price',
  unfunded: 'the upkeep balance does not pay for an update',
  no_rounds: 'the validators answer, but no round was finished',
  too_few_observers: 'too few validators observe',
  too_few_signers: 'too few validators sign',
  transmission_fails: 'the transmission of the report to the chain fails',
  not_reported: 'rounds go on, but none of the latest reported a price of this vault',
};

const states: Readonly<Record<string, string>> = {
  paused: 'The vault is paused: it takes no deposits, redemptions or prices.',
  awaiting_price: 'The vault was released from a pause and works again with its next price.',
  stale: 'The contract marks the price as stale.',
  underfunded: 'The upkeep balance is too small to pay for prices.',
  live: 'The vault is in operation.',
};
const ages: Readonly<Record<string, string>> = {
  fresh: 'The accepted price is fresh.',
  ageing: 'The accepted price is ageing.',
  critical: 'The accepted price is close to the end of its life.',
  expired: 'The accepted price has expired and can no longer be used on chain.',
};

const guards: Readonly<Record<string, string>> = {
  paused: 'the vault is paused',
  min_update_interval: 'the last price is too recent',
  deviation: 'the change is larger than the deviation threshold allows',
  upkeep: 'the upkeep balance does not pay for the update',
};

export const isPriceSound = ({ context: { detail, answers } }: Topic): boolean =>
  detail.operational_state === 'live' &&
  detail.pps_status === 'fresh' &&
  !detail.is_pps_stale &&
  answers.transmissions.next.reason === null;

export function pauseOf({ context, writer }: Topic): Phrase | null {
  const { pause, is_paused } = context.detail;
  if (!is_paused) return null;
  const since = writer.figure('vault.pause.since');
  const reason = pause?.reason ? safeName(pause.reason) : null;
  return together([
    either(writer.phrase`The pause began at ${since}.`, plain('When the pause began is not known.')),
    reason === null ? plain('Its reason is kept in the audit log.') : writer.phrase`The reason given is ${reason}.`,
  ]);
}

/** Why the next price is not there, as the validators' own messages tell it. */
export function latenessOf({ context, writer }: Topic): Phrase | null {
  const { next } = context.answers.transmissions;
  if (next.reason === null) return null;
  const why = lateReasons[next.reason] ?? 'the reason is not known';
  const late = writer.figure('transmissions.next.late_by_seconds');
  const atRisk = writer.figure('transmissions.next.value_at_risk_usd');
  return together([
    either(writer.phrase`The next price is late, by ${late}: ${why}.`, writer.phrase`The next price is late: ${why}.`),
    next.silent_nodes.length > 0 ? plain('Some validators are missing from the latest rounds.') : null,
    writer.phrase`It concerns ${atRisk} of TVL.`,
  ]);
}

/** What the chain would do with the calculated price. */
export function whatIfOf({ context, writer }: Topic): Phrase | null {
  const { accepted, would_pause, guards: asked } = context.answers.whatIf;
  const change = writer.figure('pps/what-if.change_bps');
  if (accepted === null) return null;
  const tripped = asked.find((guard) => guard.tripped);
  const outcome = accepted
    ? 'the chain would accept it'
    : `the chain would not accept it, because ${guards[tripped?.name ?? ''] ?? 'a guard stops it'}`;
  return together([
    writer.phrase`If the calculated price were reported now, the price would move by ${change} and ${outcome}.`,
    would_pause ? plain('That report would pause the vault.') : null,
  ]);
}

/** The state of the vault and its price, in short. */
export function stateOf({ context: { detail } }: Topic): Phrase {
  const isUsual = detail.operational_state === 'live' || detail.is_paused;
  return together([
    isUsual ? null : plain(states[detail.operational_state] ?? ''),
    detail.pps_status === 'fresh' ? null : plain(ages[detail.pps_status] ?? ''),
  ]);
}

/** The price of a share: where it stands, how old it is, and why it is not newer. */
export function aboutPrice(topic: Topic): Phrase {
  const { context, writer } = topic;
  const { detail } = context;
  const of = writer.figure;
  return together([
    plain(states[detail.operational_state] ?? ''),
    pauseOf(topic),
    plain(ages[detail.pps_status] ?? ''),
    either(
      writer.phrase`The price per share is ${of('pps.current.pps')}, reported at ${of('pps.current.t')}.`,
      writer.phrase`The price per share is ${of('vault.current_pps')}, set at ${of('vault.last_pps_update_timestamp')}.`,
    ),
    latenessOf(topic),
    detail.pps_status === 'fresh' ? null : writer.phrase`It can be used on chain until ${of('pps.expiry.expires_at')}.`,
    writer.phrase`Reports come every ${of('pps.cadence.p50_seconds')} in the median of the last 30 days; the longest gap was ${of('pps.cadence.max_seconds')}.`,
    whatIfOf(topic),
  ]);
}
