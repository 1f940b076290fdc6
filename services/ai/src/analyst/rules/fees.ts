import { sizeOf, type Topic } from './topic.ts';
import { either, type Phrase, plain, together } from './writer.ts';

const blocks: Readonly<Record<string, string>> = {
  paused: 'the vault is paused',
  stale: 'the price is stale',
  expired: 'the price has expired',
  cool_down: 'the cool-down after an unpause runs',
  no_profit: 'the price is not above the high-water mark',
  insufficient_free_assets: 'the idle assets do not suffice to pay it',
};

/** The fee that waits, and whether it can be taken. */
export function pendingFee({ context, writer }: Topic): Phrase {
  const { can_skim, reason } = context.detail.pending_performance_fee;
  const total = writer.figure('vault.pending_performance_fee.total');
  const state = can_skim
    ? 'It can be taken now.'
    : `It cannot be taken now: ${blocks[reason ?? ''] ?? 'the contract refuses'}.`;
  return together([
    sizeOf(total) === 0
      ? plain('No performance fee waits to be taken.')
      : writer.phrase`A performance fee of ${total} waits, on a profit of ${writer.figure('vault.pending_performance_fee.profit_since_hwm')} since the high-water mark. ${state}`,
    writer.phrase`It can be taken from ${writer.figure('vault.pending_performance_fee.can_skim_at')}.`,
  ]);
}

function mark({ writer }: Topic): Phrase | null {
  const distance = writer.figure('pps.hwm.distance');
  const hwm = either(writer.phrase`${writer.figure('pps.hwm.pps')}`, writer.phrase`${writer.figure('vault.hwm_pps')}`);
  return either(
    writer.phrase`The high-water mark is ${hwm}; the distance of the price from it is ${distance}.`,
    writer.phrase`The high-water mark is ${hwm}.`,
  );
}

/** What fees cost the holders: the APY before them and after. */
function drag({ writer }: Topic): Phrase | null {
  return writer.phrase`Over 30 days the APY is ${writer.figure('performance.gross_apy.d30')} before fees and ${writer.figure('performance.apy.d30')} after.`;
}

function proposed({ context, writer }: Topic): Phrase | null {
  if (context.detail.pending_fee_config === null) return null;
  const of = (name: string) => writer.figure(`vault.pending_fee_config.${name}`);
  return writer.phrase`A change is proposed: a performance fee of ${of('performance_fee_bps')} and an entry fee of ${of('management_fee_bps')}, which may be executed from ${of('effective_at')} and resets the high-water mark.`;
}

function taken({ writer }: Topic): Phrase | null {
  const of = (name: string) => writer.figure(`fees.totals.${name}`);
  return either(
    writer.phrase`Taken so far: ${of('performance')} of performance fees, of which ${of('performance_recipient')} went to the recipient and ${of('performance_protocol')} to the protocol, and ${of('entry')} of entry fees.`,
  );
}

/** The fees of a vault. */
export const aboutFees = (topic: Topic): Phrase => {
  const { writer } = topic;
  const terms = (name: string) => writer.figure(`vault.fee_config.${name}`);
  return together([
    writer.phrase`The performance fee is ${terms('performance_fee_bps')} of growth past the high-water mark, the entry fee ${terms('management_fee_bps')}.`,
    pendingFee(topic),
    mark(topic),
    drag(topic),
    taken(topic),
    proposed(topic),
    writer.phrase`Shares bought under the mark make ${writer.figure('fees.share_below_hwm')}; their holders pay no fee on their first gains.`,
  ]);
};
