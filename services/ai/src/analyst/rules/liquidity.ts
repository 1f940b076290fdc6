import { missing, note, sizeOf, type Topic } from './topic.ts';
import { either, type Phrase, plain, together } from './writer.ts';

/** What can be paid out on demand, and how far that goes among the largest holders. */
export function instant(topic: Topic): Phrase {
  const { writer } = topic;
  const of = (name: string) => writer.figure(`risk.liquidity.${name}`);
  const k3 = of('coverage.k3');
  return together([
    either(
      writer.phrase`${of('instant_assets')} can be paid on demand, ${of('instant_share')} of the assets: idle, or released by its sources when asked.`,
      missing(topic, 'risk.liquidity.instant_assets', 'What can be paid on demand'),
    ),
    writer.phrase`That is ${of('coverage.k1')} times what the largest holder has and ${k3} times what the 3 largest holders have.`,
    (sizeOf(k3) ?? 1) < 1 ? plain('A run of the largest holders could not be paid on demand.') : null,
  ]);
}

/** Requests that were not fulfilled yet. */
export function redemptions({ writer }: Topic): Phrase {
  const of = (name: string) => writer.figure(`operations.redemptions.${name}`);
  const blocked = of('blocked');
  return together([
    sizeOf(of('pending')) === 0
      ? plain('No redemption is pending.')
      : either(
          writer.phrase`Pending redemptions: ${of('pending')}, for ${of('pending_assets')}, the oldest for ${of('oldest_seconds')}.`,
          writer.phrase`Pending redemptions: ${of('pending')}.`,
        ),
    (sizeOf(blocked) ?? 0) > 0
      ? writer.phrase`Requests that cannot be fulfilled until the price recovers or the holder accepts more slippage: ${blocked}.`
      : null,
  ]);
}

/** How long holders had to wait. */
export const waits = ({ writer }: Topic): Phrase | null =>
  either(
    writer.phrase`The median wait of the last 30 days was ${writer.figure('operations.redemptions.p50_seconds')}, the longest ${writer.figure('operations.redemptions.max_seconds')}.`,
    plain('No redemption was fulfilled in the last 30 days, so there is no waiting time yet.'),
  );

/** Deposits against withdrawals. */
export function flows({ writer }: Topic): Phrase {
  const of = (name: string) => writer.figure(`operations.${name}`);
  return together([
    either(
      writer.phrase`Over 30 days ${of('deposits.assets')} (${of('deposits.usd')}) came in and ${of('withdrawals.assets')} (${of('withdrawals.usd')}) went out.`,
      writer.phrase`Over 30 days ${of('deposits.assets')} came in and ${of('withdrawals.assets')} went out.`,
    ),
  ]);
}

/** Who came and who left: start plus new plus back less left gives the end. */
export function churn({ writer }: Topic, window: 'd7' | 'd30' = 'd30'): Phrase {
  const of = (name: string) => writer.figure(`users.bridge.${window}.${name}`);
  const words = window === 'd7' ? '7 days' : '30 days';
  return together([
    writer.phrase`Over ${words} the number of holders went from ${of('start')} to ${of('end')}: ${of('new_kept')} new, ${of('reactivated')} back, ${of('churned')} gone.`,
    (sizeOf(writer.figure('users.pending_churn')) ?? 0) > 0
      ? writer.phrase`Holders who have asked for everything back: ${writer.figure('users.pending_churn')}.`
      : null,
  ]);
}

/** How long prices are paid for. */
export function upkeep({ context, writer }: Topic): Phrase {
  if (!context.detail.upkeep_info.enabled) return plain('Upkeep payments are switched off for this vault.');
  const of = (name: string) => writer.figure(`operations.upkeep.${name}`);
  const shortfall = writer.figure('vault.upkeep_info.threshold.shortfall');
  return together([
    either(
      writer.phrase`The upkeep balance lasts for ${of('runway_seconds')} at the recent pace of prices, until ${of('empty_at')}.`,
      writer.phrase`The upkeep balance lasts for ${of('runway_seconds')} at the recent pace of prices.`,
      writer.phrase`The upkeep balance lasts for ${writer.figure('vault.upkeep_info.runway_seconds')}.`,
      plain('It is not known how long the upkeep lasts.'),
    ),
    writer.phrase`At the shortest interval it lasts for ${of('runway_worst_case_seconds')}.`,
    (sizeOf(shortfall) ?? 0) > 0 ? writer.phrase`It lacks ${shortfall} of what the contract asks for.` : null,
  ]);
}

const isShort = 30 * 86_400;

/** The upkeep while it is the first thing to run out, else the largest holder. */
function watched(topic: Topic): Phrase | null {
  const runway = sizeOf(topic.writer.figure('operations.upkeep.runway_seconds'));
  if (topic.context.detail.upkeep_info.enabled && runway !== null && runway < isShort)
    return together([plain('Watch the upkeep balance: without it no price is reported.'), upkeep(topic)]);
  return topic.writer
    .phrase`Watch the largest holder, who has ${topic.writer.figure('risk.top_holder_share')} of the shares.`;
}

/** Whether the holders of a vault can be paid: now, on a bad day, and what would change it. */
export const aboutLiquidity = (topic: Topic): Phrase =>
  note(
    [
      instant(topic),
      redemptions(topic),
      flows(topic),
      churn(topic),
      topic.writer
        .phrase`On a bad day (p95) withdrawals take ${topic.writer.figure('risk.withdrawal_at_risk.h24_p95')} of TVL.`,
    ],
    watched(topic),
  );
