import type { Precondition, PreparedChange } from '@castellan/contracts';
import type { Address } from 'viem';
import type { Redemption } from '../../../../vault/domain/redemption.ts';
import { type Context, check, differs, fromManager, single, toStrategy } from '../build.ts';
import type { ChangeState, ChangesOf, KeptStep, PostCondition } from '../change.ts';
import { usable } from '../usable.ts';
import { plural, price, tokens } from '../wording.ts';

type Kind = 'fulfil_redemptions' | 'fulfil_cancellations';

const unauthorized = 'MANAGER_NOT_AUTHORIZED';

/** In the order that the contract wants, each wallet once. */
function requestsOf({ args, state }: Context<Kind>): Redemption[] {
  const wanted = [...new Set(args.controllers as readonly Address[])];
  return wanted
    .sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
    .flatMap((wallet) => state.redemptions.find(({ controller }) => controller === wallet) ?? []);
}

const shareToken = ({ vault: { decimals, symbol } }: ChangeState) => ({ decimals, symbol });
const totalOf = (requests: readonly Redemption[], of: 'shares' | 'assets'): bigint =>
  requests.reduce((total, request) => total + request[of], 0n);

/** Of two faults the chain reports that of the wallet that comes first, so that fault stands first here. */
function payable(requests: readonly Redemption[], state: ChangeState): Precondition[] {
  const { asset } = state.vault;
  const empty = requests.findIndex(({ shares }) => shares === 0n);
  const short = requests.findIndex(({ shares, assets, least }) => shares > 0n && least > assets);
  const [nobody, blocked] = [requests[empty], requests[short]];
  const checks = [
    check(
      'ZERO_SHARE_FULFILLMENT_DISALLOWED',
      !nobody,
      nobody ? `${nobody.controller} has no request to redeem.` : 'Every wallet has a request to redeem.',
    ),
    check(
      'BOUNDS_EXCEEDED',
      !blocked,
      blocked
        ? `${blocked.controller} accepts ${tokens(blocked.least, asset)} or more; at the price of the chain its shares are worth ${tokens(blocked.assets, asset)}.`
        : 'The price is not below the least that any request accepts.',
    ),
  ];
  return blocked && (!nobody || short < empty) ? checks.reverse() : checks;
}

/** Ours, not the chain's: a payment wins over a cancellation that waits, which its wallet does not want any more. */
function wanted(requests: readonly Redemption[]): Precondition {
  const cancelled = requests.find(({ isCancelled }) => isCancelled);
  const detail = cancelled ? `${cancelled.controller} wants its shares back.` : 'No wallet wants its shares back.';
  return check('REDEMPTION_CANCELLED', !cancelled, detail);
}

const waitingOf = (requests: readonly Redemption[]): PreparedChange[] =>
  requests.map(({ controller, shares }) => differs(`waiting_shares_of_${controller}`, `${shares}`, '0'));

/** A wallet may ask again as soon as it is paid; what it asked for before is gone. */
const resolved = ({ changes }: KeptStep<Kind>): PostCondition => ({
  description: 'What these wallets asked for does not wait any longer.',
  holds: ({ redemptions }) => {
    const left = redemptions.find(({ controller, shares }) => {
      const before = changes.find(({ field }) => field === `waiting_shares_of_${controller}`)?.before;
      return shares >= BigInt(String(before ?? 0)) && shares > 0n;
    });
    return { ok: !left, actual: left ? `${left.controller} still waits` : true };
  },
});

/** Requests to redeem that are paid or given back, by the rules of SuperVaultStrategy. */
export const redemptionChanges: ChangesOf<Kind> = {
  fulfil_redemptions: single({
    role: 'manager',
    needsStepUp: false,
    step(context) {
      const { request, target, state } = context;
      const { asset, idleAssets, pps, precision } = state.vault;
      const requests = requestsOf(context);
      const assets = totalOf(requests, 'assets');
      return {
        call: toStrategy(target, 'fulfillRedeemRequests', [
          requests.map(({ controller }) => controller),
          requests.map((each) => each.assets),
        ]),
        description:
          `Pay ${plural(requests.length, 'redemption request')} of ${target.name}: ${tokens(assets, asset)} of idle assets for ` +
          `${tokens(totalOf(requests, 'shares'), shareToken(state))}, at the price of ${price(pps, precision)}. The wallets can claim them at once; their shares are burned.`,
        preconditions: [
          fromManager(unauthorized, request, state),
          ...usable(state),
          ...payable(requests, state),
          check(
            'INSUFFICIENT_LIQUIDITY',
            idleAssets >= assets,
            `The vault has ${tokens(idleAssets, asset)} idle of the ${tokens(assets, asset)}.`,
          ),
          wanted(requests),
        ],
        changes: [...waitingOf(requests), differs('free_assets', `${idleAssets}`, `${idleAssets - assets}`)],
      };
    },
    postCondition: resolved,
  }),

  fulfil_cancellations: single({
    role: 'manager',
    needsStepUp: false,
    step(context) {
      const { request, target, state } = context;
      const requests = requestsOf(context);
      const missing = requests.find(({ isCancelled }) => !isCancelled);
      return {
        call: toStrategy(target, 'fulfillCancelRedeemRequests', [requests.map(({ controller }) => controller)]),
        description: `Give back ${tokens(totalOf(requests, 'shares'), shareToken(state))} of ${plural(requests.length, 'cancelled request')} of ${target.name}. The wallets can claim their shares at once.`,
        preconditions: [
          fromManager(unauthorized, request, state),
          check(
            'REQUEST_NOT_FOUND',
            !missing,
            missing ? `${missing.controller} has cancelled nothing.` : 'Every wallet has cancelled its request.',
          ),
        ],
        changes: waitingOf(requests),
      };
    },
    postCondition: resolved,
  }),
};
