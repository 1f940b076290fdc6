import { sizeOf, type Topic } from './topic.ts';
import { either, magnitude, type Phrase, plain, safeName, together } from './writer.ts';

const lateReasons: Readonly<Record<string, string>> = {
  paused: 'the vault is paused, and the contract accepts no price',
  unfunded: 'the upkeep balance does not pay for an update',
  no_rounds: 'the validators answer, but no round was completed',
  too_few_observers: 'too few validators observe',
  too_few_signers: 'too few validators sign',
  transmission_fails: 'the transmission of the report to the chain fails',
  not_reported: 'rounds go on, but none of the latest reported a price of this vault',
};

const states: Readonly<Record<string, string>> = {
  paused: 'The vault is paused: it takes no deposits, redemptions or prices.',
  awaiting_price: 'The pause has ended, and the vault resumes with its next price.',
  stale: 'The contract marks the price as stale.',
  underfunded: 'The upkeep balance is too small to pay for prices.',
  live: 'The vault is in operation.',
};
const ages: Readonly<Record<string, string>> = {
  fresh: 'The accepted price is fresh.',
  ageing: 'The accepted price is ageing.',
  critical: 'The accepted price is about to expire.',
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

/** What is wrong with the price or the vault, the worst only. */
export function troubleOf({ context: { detail, answers } }: Topic): Phrase {
  if (detail.is_paused) return plain('The vault is paused.');
  if (detail.pps_status === 'expired') return plain(ages.expired ?? '');
  if (detail.is_pps_stale) return plain('The contract marks the price as stale.');
  if (answers.transmissions.next.reason !== null) return plain('The next price is late.');
  return stateOf({ detail });
}

export function pauseOf({ context, writer }: Topic): Phrase | null {
  const { pause, is_paused } = context.detail;
  if (!is_paused) return null;
  const since = writer.figure('vault.pause.since');
  const reason = pause?.reason ? safeName(pause.reason) : null;
  return together([
    either(writer.phrase`The pause began at ${since}.`, plain('The start of the pause is not known.')),
    reason === null ? plain('Its reason is in the audit log.') : writer.phrase`The reason given is ${reason}.`,
  ]);
}

/** Why the next price has not arrived, as the validators' own messages report it. */
export function latenessOf({ context, writer }: Topic): Phrase | null {
  const { next } = context.answers.transmissions;
  if (next.reason === null) return null;
  const why = lateReasons[next.reason] ?? 'the reason is not known';
  const late = writer.figure('transmissions.next.late_by_seconds');
  const atRisk = writer.figure('transmissions.next.value_at_risk_usd');
  return together([
    either(writer.phrase`The next price is late, by ${late}: ${why}.`, writer.phrase`The next price is late: ${why}.`),
    next.silent_nodes.length > 0 ? plain('Some validators are missing from the latest rounds.') : null,
    writer.phrase`This affects ${atRisk} of TVL.`,
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
  const moves = (sizeOf(change) ?? 0) < 0 ? 'fall' : 'rise';
  return together([
    either(
      sizeOf(change) === 0
        ? plain(`If the calculated price were reported now, the price would stay as it is and ${outcome}.`)
        : writer.phrase`If the calculated price were reported now, the price would ${moves} by ${magnitude(change)} and ${outcome}.`,
      writer.phrase`If the calculated price were reported now, the price would move by ${change} and ${outcome}.`,
    ),
    would_pause ? plain('That report would pause the vault.') : null,
  ]);
}

/** The state of the vault and its price, in short; nothing where both are as usual. */
export function stateOf({ detail }: Pick<Topic['context'], 'detail'>): Phrase {
  const isUsual = detail.operational_state === 'live' || detail.is_paused;
  return together([
    isUsual ? null : plain(states[detail.operational_state] ?? ''),
    detail.pps_status === 'fresh' ? null : plain(ages[detail.pps_status] ?? ''),
  ]);
}

/** The state of the vault, and of a pause. */
export const operationOf = (topic: Topic): Phrase =>
  together([plain(states[topic.context.detail.operational_state] ?? ''), pauseOf(topic)]);

/** Whether the price is fresh and the next one on time. */
export const freshness = (topic: Topic): Phrase =>
  together([
    plain(ages[topic.context.detail.pps_status] ?? ''),
    latenessOf(topic) ?? plain('The next price is on time.'),
  ]);

/** By when the next price is due. */
export const nextPriceBy = ({ writer }: Topic): Phrase | null =>
  writer.phrase`The next price is due at ${writer.figure('transmissions.next.due_at')}.`;

/** Until when the price can be used. */
export const usableUntil = ({ writer, context }: Topic): Phrase | null =>
  context.detail.pps_status === 'expired'
    ? writer.phrase`The price expired at ${writer.figure('pps.expiry.expires_at')}.`
    : writer.phrase`The price can be used on chain until ${writer.figure('pps.expiry.expires_at')}.`;

/** What is wrong with the price, why, until when it can be used, and what the next report would do. A pause explains itself. */
export const priceTrouble = (topic: Topic): Phrase =>
  topic.context.detail.is_paused
    ? together([operationOf(topic), usableUntil(topic)])
    : together([stateOf(topic.context), latenessOf(topic), usableUntil(topic), whatIfOf(topic)]);
