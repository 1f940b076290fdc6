import { missing, sizeOf, type Topic } from './topic.ts';
import { either, type Phrase, plain, together } from './writer.ts';

/** What can be paid out at once, and how far that goes among the largest holders. */
export function instant(topic: Topic): Phrase {
  const { writer } = topic;
  const of = (name: string) => writer.figure(`risk.liquidity.${name}`);
  const k3 = of('coverage.k3');
  return together([
    either(
      writer.phrase`${of('instant_assets')} can be paid at once, ${of('instant_share')} of the assets.`,
      missing(topic, 'risk.liquidity.instant_assets', 'What can be paid at once'),
    ),
    writer.phrase`That is ${of('coverage.k1')} times what the largest holder has and ${k3} times what the 3 largest holders have.`,
    (sizeOf(k3) ?? 1) < 1 ? plain('A run of the largest holders could not be paid at once.') : null,
  ]);
}

/** Requests that wait. */
export function redemptions({ writer }: Topic): Phrase {
  const of = (name: string) => writer.figure(`operations.redemptions.${name}`);
  const blocked = of('blocked');
  return together([
    sizeOf(of('pending')) === 0
      ? plain('No redemption waits.')
      : either(
          writer.phrase`Redemption requests that wait: ${of('pending')}, for ${of('pending_assets')}, the oldest for ${of('oldest_seconds')}.`,
          writer.phrase`Redemption requests that wait: ${of('pending')}.`,
        ),
    writer.phrase`The median wait of the last 30 days was ${of('p50_seconds')}, the longest ${of('max_seconds')}.`,
    (sizeOf(blocked) ?? 0) > 0
      ? writer.phrase`Requests that cannot be fulfilled until the price recovers or the holder allows more slippage: ${blocked}.`
      : null,
  ]);
}

/** Deposits against withdrawals. */
export function flows({ writer }: Topic): Phrase {
  return together([
    either(
      writer.phrase`The net flow is ${writer.figure('overview.net_flow.d7')} over 7 days and ${writer.figure('overview.net_flow.d30')} over 30 days.`,
    ),
    writer.phrase`Over 30 days ${writer.figure('operations.deposits.assets')} came in and ${writer.figure('operations.withdrawals.assets')} went out.`,
  ]);
}

/** Who came and who left: start plus new plus back less left gives the end. */
export function churn({ writer }: Topic): Phrase {
  const of = (name: string) => writer.figure(`users.bridge.d30.${name}`);
  return together([
    writer.phrase`Over 30 days the number of holders went from ${of('start')} to ${of('end')}: ${of('new_kept')} new, ${of('reactivated')} back, ${of('churned')} gone.`,
    either(
      writer.phrase`Retention of holders over 30 days is ${writer.figure('users.retention.d30')}, of their shares ${writer.figure('users.asset_retention.d30')}.`,
    ),
    (sizeOf(writer.figure('users.pending_churn')) ?? 0) > 0
      ? writer.phrase`Holders who have asked for everything back: ${writer.figure('users.pending_churn')}.`
      : null,
  ]);
}

export function upkeep({ context, writer }: Topic): Phrase {
  if (!context.detail.upkeep_info.enabled) return plain('Upkeep payments are switched off for this vault.');
  const recent = writer.figure('operations.upkeep.runway_seconds');
  return together([
    either(
      writer.phrase`The upkeep balance of ${writer.figure('vault.upkeep_info.balance')} lasts for ${recent} at the pace of the last 24 hours, and for ${writer.figure('operations.upkeep.runway_worst_case_seconds')} at the fastest that the chain allows.`,
      writer.phrase`The upkeep balance of ${writer.figure('vault.upkeep_info.balance')} lasts for ${recent} at the pace of the last 24 hours.`,
      writer.phrase`The upkeep lasts for ${writer.figure('vault.upkeep_info.runway_seconds')}.`,
      plain('How long the upkeep lasts is not known.'),
    ),
    (sizeOf(writer.figure('vault.upkeep_info.threshold.shortfall')) ?? 0) > 0
      ? writer.phrase`It is short of what the contract asks for by ${writer.figure('vault.upkeep_info.threshold.shortfall')}.`
      : null,
  ]);
}

/** Whether the holders of a vault can be paid. */
export const aboutLiquidity = (topic: Topic): Phrase =>
  together([
    instant(topic),
    topic.writer
      .phrase`Withdrawals of a bad day (p95) make ${topic.writer.figure('risk.withdrawal_at_risk.h24_p95')} of TVL.`,
    redemptions(topic),
    flows(topic),
    churn(topic),
    upkeep(topic),
  ]);
