import type { GetPosition, ParamsOf, ResultOf } from '@castellan/contracts';
import { figure, type Input } from '../domain/figure.ts';
import { type Holder, type Holding, holdingAt } from '../domain/ledgers/holder-ledger.ts';
import { least, left } from '../domain/metric-math.ts';
import { instantAssets, worth, worthFigure } from '../domain/metrics/liquidity.ts';
import { redemptionQueue, type Waiting } from '../domain/metrics/redemption-queue.ts';
import { partFigure } from '../domain/metrics/run-figures.ts';
import { type Moment, observationAt, priceAt } from '../domain/moment.ts';
import { inDollars, sumOf, type Term, unknown, written } from '../domain/plain-figures.ts';
import { sum } from '../domain/ratio.ts';
import { countAtBlock, isoOf, lastAtTime } from '../domain/timeline.ts';
import { answer, checksummed } from './answer.ts';
import { internalRateFigure, moveInputs, noMove } from './holder-row.ts';
import type { Histories } from './ports.ts';
import { recentSeconds, redemptionRow, waitingCount } from './redemptions.ts';

/** A wallet's shares by where they are. */
function shareFigures(holding: Holding | undefined) {
  const { shares, locked, pending } = holding ?? { shares: 0n, locked: 0n, pending: 0n };
  const of = (value: bigint, source: string) => written(value, 'share base units', { at: holding, source });
  return {
    shares: of(shares, 'Transfer'),
    free_shares: of(shares - locked, 'Transfer'),
    pending_shares: of(pending, 'RedeemRequest'),
    returnable_shares: of(locked - pending, 'RedeemCancelRequestFulfilled'),
  };
}

/** What was paid for its shares, less what it has claimed. */
function claimable({ history, block }: Moment, wallet: string) {
  const own = history.activities.list({ wallet });
  const acts = own.slice(0, countAtBlock(own, block));
  const of = (type: 'redeem_fulfilled' | 'redeem_claim', source: string): Term[] =>
    acts.flatMap((act) => (act.type === type && act.assets !== null ? [{ value: act.assets, at: act, source }] : []));
  return sumOf(of('redeem_fulfilled', 'RedeemClaimable'), of('redeem_claim', 'Withdraw'));
}

/** What a wallet put in and took out, and what that made with what it has now. */
function moneyFigures(moment: Moment, holder: Holder | undefined, value: Term) {
  const moves = holder && lastAtTime(holder.moves, moment.time, moment.block);
  const inputs = (): Input[] => (holder ? moveInputs(moment, holder, null, 'flow') : []);
  const of = (total: bigint, name: string) =>
    figure({
      value: total,
      unit: 'asset base units',
      method: 'sum',
      inputs: () => inputs().flatMap((input) => (input.name === name ? [{ ...input, name: 'added' }] : [])),
    });
  const { in: putIn, out } = moves ?? noMove;
  const profit = value.value + out - putIn;
  return {
    put_in: of(putIn, 'added'),
    taken_out: of(out, 'taken'),
    profit_assets: figure({
      value: profit,
      unit: 'asset base units',
      method: 'sum',
      inputs: () => [
        { name: 'added', unit: 'asset base units', ...value },
        ...(holder ? moveInputs(moment, holder, null, 'gain') : []),
      ],
    }),
    profit_usd: inDollars(moment, profit, priceAt(moment, moment.time), { source: 'value + taken out - put in' }),
    xirr: holder && moves ? internalRateFigure(moment, holder, value.value) : unknown('the wallet has put nothing in'),
  };
}

/** What of a position the vault could pay at once, after all others who wait. */
function instantFigure(moment: Moment, value: Term, others: readonly Waiting[]) {
  const seen = observationAt(moment);
  const instant = instantAssets(seen);
  if (!seen || instant === null) return unknown('nothing has been observed yet');
  const wanted = sum(others.map(({ assets, state }) => (state === 'cancelling' || state === 'blocked' ? 0n : assets)));
  return partFigure(
    least(value.value, left(instant, [wanted])),
    value,
    { value: instant, at: seen, source: 'state_observed: idle + min(position, available)' },
    [{ value: wanted, source: 'worth of what others wait for' }],
  );
}

export const getPosition =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetPosition>): Promise<ResultOf<typeof GetPosition>> => {
    const moment = await histories.momentOf(params);
    const { history, block, time } = moment;
    const wallet = params.wallet.toLowerCase();
    const holder = history.holders.find(wallet);
    const holding = holder && holdingAt(holder, time, block);
    const first = holder?.holdings[0];
    const shares = holding?.shares ?? 0n;
    const held = { at: holding, source: `Transfer: ${wallet}` };
    const value: Term = { value: worth(moment, shares), ...held, source: 'shares at the last price' };
    const queue = redemptionQueue(moment);
    const place = queue.findIndex(({ controller }) => controller === wallet);
    const own = queue[place];
    return answer(params, moment, 'users/position', {
      wallet_address: checksummed(wallet),
      ...shareFigures(holding),
      assets: worthFigure(moment, shares, held),
      usd: inDollars(moment, value.value, priceAt(moment, time), held),
      claimable_assets: claimable(moment, wallet),
      ...moneyFigures(moment, holder, value),
      first_seen: first && first.block <= block ? isoOf(first.time) : unknown('the wallet has never held shares'),
      instant_assets: instantFigure(
        moment,
        value,
        queue.filter((each) => each !== own),
      ),
      request: own
        ? redemptionRow(moment, own, place + 1, recentSeconds(moment, 0.95))
        : unknown('the wallet waits for nothing'),
      waiting: waitingCount(queue),
    });
  };
