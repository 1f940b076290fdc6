import { note, sizeOf, type Topic } from './topic.ts';
import { either, magnitude, type Phrase, plain, together } from './writer.ts';

const blocks: Readonly<Record<string, string>> = {
  paused: 'the vault is paused',
  stale: 'the price is stale',
  expired: 'the price has expired',
  cool_down: 'the waiting time after a pause is not over',
  no_profit: 'the price is not above the high-water mark',
  insufficient_free_assets: 'the idle assets do not suffice to pay it',
};

/** The pending fee, and whether it can be taken. */
export function pendingFee({ context, writer }: Topic): Phrase {
  const { can_skim, reason } = context.detail.pending_performance_fee;
  const of = (name: string) => writer.figure(`vault.pending_performance_fee.${name}`);
  const total = of('total');
  const state = can_skim
    ? 'It can be taken now.'
    : `It cannot be taken now: ${blocks[reason ?? ''] ?? 'the contract refuses'}.`;
  return together([
    sizeOf(total) === 0
      ? plain('No performance fee is pending.')
      : either(
          writer.phrase`A performance fee of ${total} is pending, on a profit of ${of('profit_since_hwm')} since the high-water mark. ${state}`,
          writer.phrase`A performance fee of ${total} is pending. ${state}`,
        ),
    can_skim ? null : writer.phrase`It can be taken from ${of('can_skim_at')}.`,
  ]);
}

/** Where the price stands beside the high-water mark. */
function position({ writer }: Topic): Phrase | null {
  const distance = writer.figure('pps.hwm.distance');
  const side = (sizeOf(distance) ?? 0) < 0 ? 'below' : 'above';
  return sizeOf(distance) === 0
    ? plain('the price stands at it')
    : writer.phrase`the price is ${magnitude(distance)} ${side} it`;
}

/** The high-water mark, and how far the price is from it. */
export function mark(topic: Topic): Phrase | null {
  const { writer } = topic;
  const hwm = either(writer.phrase`${writer.figure('pps.hwm.pps')}`, writer.phrase`${writer.figure('vault.hwm_pps')}`);
  return either(
    writer.phrase`The high-water mark is ${hwm}, and ${position(topic)}.`,
    writer.phrase`The high-water mark is ${hwm}.`,
  );
}

/** What fees cost the holders: the APY before them and after. */
export const drag = ({ writer }: Topic): Phrase | null =>
  writer.phrase`Over 30 days the APY is ${writer.figure('performance.gross_apy.d30')} before fees and ${writer.figure('performance.apy.d30')} after.`;

/** A change of the fees that was proposed, and from when it may be executed. */
export function proposed({ context, writer }: Topic): Phrase | null {
  if (context.detail.pending_fee_config === null) return null;
  const of = (name: string) => writer.figure(`vault.pending_fee_config.${name}`);
  return writer.phrase`Watch the proposed fees: ${of('performance_fee_bps')} of profit and ${of('management_fee_bps')} on entry, which may take effect from ${of('effective_at')} and reset the high-water mark.`;
}

/** What was taken so far. */
export function taken({ writer }: Topic): Phrase | null {
  const of = (name: string) => writer.figure(`fees.totals.${name}`);
  return writer.phrase`So far ${of('performance')} of performance fees were taken, ${of('performance_recipient')} for the recipient and ${of('performance_protocol')} for the protocol, and ${of('entry')} of entry fees.`;
}

/** The fees in force. */
export function terms({ writer }: Topic): Phrase | null {
  const of = (name: string) => writer.figure(`vault.fee_config.${name}`);
  return writer.phrase`The performance fee is ${of('performance_fee_bps')} of the profit past the high-water mark, the entry fee is ${of('management_fee_bps')}.`;
}

/** What part of the shares was bought below the mark. */
export const belowMark = ({ writer }: Topic): Phrase | null =>
  writer.phrase`Shares bought below the high-water mark are ${writer.figure('fees.share_below_hwm')} of all.`;

function watched(topic: Topic): Phrase | null {
  const { writer } = topic;
  return either(
    writer.phrase`Watch the high-water mark of ${writer.figure('pps.hwm.pps')}: fees accrue only past it, and ${position(topic)}.`,
    mark(topic),
  );
}

/** The fees of a vault: what is pending, what they cost, and what may change them. */
export const aboutFees = (topic: Topic): Phrase =>
  note([pendingFee(topic), terms(topic), drag(topic), taken(topic)], proposed(topic) ?? watched(topic));
