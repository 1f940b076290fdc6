import type { DepositorKind, Precondition } from '@castellan/contracts';
import { afterOf, type Context, change, check, differs, type StepDraft, single, toToken, toVault } from '../build.ts';
import type { ChangeState, ChangesOf, KeptStep, Position, PostCondition } from '../change.ts';
import { usable } from '../usable.ts';
import { percent, price, tokens } from '../wording.ts';

/** The id of every request: those of one wallet are one in this family of vaults. */
const REQUEST = 0n;

/** @throws Error for a state that was read without a position, or not at all: a mistake of ours. */
function positionIn(state: ChangeState | undefined): Position {
  const position = state?.position ?? null;
  if (position === null) throw new Error('The state was read without the position of the wallet.');
  return position;
}

const shareToken = ({ vault: { decimals, symbol } }: ChangeState) => ({ decimals, symbol });

/** What the vault mints: its entry fee is rounded up, the shares down. */
function mintedFor(assets: bigint, { vault: { fees, pps, precision } }: ChangeState): { fee: bigint; shares: bigint } {
  const fee = (assets * fees.managementFeeBps + 9_999n) / 10_000n;
  return { fee, shares: pps === 0n ? 0n : ((assets - fee) * precision) / pps };
}

type Deposit = Context<'deposit'>;

/** Exactly what is deposited: an allowance left open is a loan without a date. */
function approval({ args, caller, target, state }: Deposit): StepDraft[] {
  const { asset } = state.vault;
  const { allowance, needsReset } = positionIn(state);
  const assets = BigInt(args.assets);
  if (allowance >= assets) return [];
  const approve = {
    call: toToken(asset.address, target.vault, assets),
    description:
      `Allow the vault ${target.vault} to take ${tokens(assets, asset)} from ${caller}: exactly the deposit in ` +
      `${target.name} that follows. This moves nothing yet.`,
    preconditions: [],
    changes: [differs('asset_allowance', `${needsReset ? 0n : allowance}`, `${assets}`)],
  };
  if (!needsReset) return [approve];
  const old = tokens(allowance, asset);
  return [
    {
      call: toToken(asset.address, target.vault, 0n),
      description:
        `Take back the ${old} that the vault ${target.vault} may take from ${caller}. The token gives a new allowance only once ` +
        'the old one is zero. This moves nothing.',
      preconditions: [],
      changes: [differs('asset_allowance', `${allowance}`, '0')],
    },
    {
      ...approve,
      preconditions: [
        check('WOULD_REVERT', false, `The token gives a new allowance only once the old one of ${old} is zero.`),
      ],
      metBefore: ['WOULD_REVERT'],
    },
  ];
}

/** In the order of the vault, the token and the strategy. */
function depositable({ args, caller, state }: Deposit, shares: bigint): Precondition[] {
  const { asset, hooks } = state.vault;
  const position = positionIn(state);
  const assets = BigInt(args.assets);
  const wanted = tokens(assets, asset);
  return [
    check(
      'ERC20InsufficientAllowance',
      position.allowance >= assets,
      `The vault can take ${tokens(position.allowance, asset)} of the ${wanted} from ${caller}.`,
    ),
    check(
      'ERC20InsufficientBalance',
      position.assets >= assets,
      `${caller} has ${tokens(position.assets, asset)} of the ${wanted}.`,
    ),
    check(
      'OPERATIONS_BLOCKED_BY_VETO',
      !hooks.globalVetoed,
      `The global hooks root is ${hooks.globalVetoed ? 'vetoed: nothing can be deposited' : 'not vetoed'}.`,
    ),
    ...usable(state),
    check('INVALID_AMOUNT', shares > 0n, `The deposit is worth ${tokens(shares, shareToken(state))}.`),
  ];
}

function deposit(context: Deposit): StepDraft {
  const { args, caller, target, state } = context;
  const { asset, fees, pps, precision } = state.vault;
  const position = positionIn(state);
  const assets = BigInt(args.assets);
  const { fee, shares } = mintedFor(assets, state);
  const entry = fee > 0n ? ` after the entry fee of ${tokens(fee, asset)} (${percent(fees.managementFeeBps)})` : '';
  return {
    call: toVault(target, 'deposit', [assets, caller]),
    description:
      `Deposit ${tokens(assets, asset)} in ${target.name} for about ${tokens(shares, shareToken(state))}${entry}, at the price of ` +
      `${price(pps, precision)}. The price of the block that mines it counts; the contract takes no least amount of shares.`,
    preconditions: depositable(context, shares),
    changes: [
      differs('wallet_assets', `${position.assets}`, `${position.assets - assets}`),
      differs('wallet_shares', `${position.shares}`, `${position.shares + shares}`),
    ],
  };
}

/** All shares of a wallet: a request takes them out of its hands in the block in which it got them. */
const heldIn = ({ shares, request }: Position): bigint => shares + request.shares;

/** The new allowance may come in the same block. */
const reset: PostCondition = {
  description: 'The vault has not the old allowance any more.',
  holds: (state, before) => {
    const { allowance } = positionIn(state);
    const ok = allowance === 0n || allowance !== positionIn(before).allowance;
    return { ok, actual: tokens(allowance, state.vault.asset) };
  },
};

/** The deposit may have used it up in the same block. */
const allowed = ({ changes }: KeptStep<'deposit'>): PostCondition => {
  const needed = BigInt(String(afterOf(changes, 'asset_allowance')));
  if (needed === 0n) return reset;
  return {
    description: 'The vault can take the assets that the deposit needs.',
    holds: (state, before) => {
      const position = positionIn(state);
      const ok = position.allowance >= needed || heldIn(position) > heldIn(positionIn(before));
      return { ok, actual: tokens(position.allowance, state.vault.asset) };
    },
  };
};

/** Another price may have come before the block that mined it, so the shares need not be the sum of both. */
const minted: PostCondition = {
  description: 'The wallet has more shares than before.',
  holds: (state, before) => {
    const position = positionIn(state);
    const ok = heldIn(position) > heldIn(positionIn(before));
    return { ok, actual: tokens(position.shares, shareToken(state)) };
  },
};

/** Puts assets in, asks for them back and fetches them, by the rules of SuperVault; all for the wallet that sends it. */
export const positionChanges: ChangesOf<DepositorKind> = {
  deposit: change({
    role: 'anyone',
    needsStepUp: false,
    steps(context) {
      const first = approval(context);
      const then = deposit(context);
      return first.length === 0 ? [then] : [...first, { ...then, metBefore: ['ERC20InsufficientAllowance'] }];
    },
    postCondition: (kept) => (kept.function === 'approve' ? allowed(kept) : minted),
  }),

  request_redemption: single({
    role: 'anyone',
    needsStepUp: false,
    step({ args, caller, target, state }) {
      const { shares: free, request } = positionIn(state);
      const { asset, pps, precision } = state.vault;
      const shares = BigInt(args.shares);
      const words = (amount: bigint) => tokens(amount, shareToken(state));
      const more = request.shares > 0n ? ` It is added to the ${words(request.shares)} that wait already.` : '';
      return {
        call: toVault(target, 'requestRedeem', [shares, caller, caller]),
        description:
          `Ask ${target.name} to redeem ${words(shares)}, worth ${tokens((shares * pps) / precision, asset)} at the price of ` +
          `${price(pps, precision)}.${more} They wait in the escrow until a manager pays them, at the price of that moment.`,
        preconditions: [
          check('INVALID_AMOUNT', free >= shares, `${caller} has ${words(free)} of the ${words(shares)}.`),
          check(
            'CANCELLATION_REDEEM_REQUEST_PENDING',
            !request.isCancelled,
            request.isCancelled
              ? `The wallet has cancelled its request of ${words(request.shares)}; a manager has to give them back first.`
              : 'No cancellation waits.',
          ),
          ...usable(state),
        ],
        changes: [
          differs('wallet_shares', `${free}`, `${free - shares}`),
          differs('waiting_shares', `${request.shares}`, `${request.shares + shares}`),
        ],
      };
    },
    // In the same block a manager may pay what waited before, and a deposit give other shares.
    postCondition: () => ({
      description: 'The shares wait to be redeemed.',
      holds: (state, before) => {
        const { shares, request } = positionIn(state);
        const old = positionIn(before);
        const ok = request.shares > old.request.shares || (request.shares > 0n && shares < old.shares);
        return { ok, actual: tokens(request.shares, shareToken(state)) };
      },
    }),
  }),

  cancel_redemption: single({
    role: 'anyone',
    needsStepUp: false,
    step({ caller, target, state }) {
      const { request } = positionIn(state);
      const words = tokens(request.shares, shareToken(state));
      const isWaiting = request.shares > 0n;
      return {
        call: toVault(target, 'cancelRedeemRequest', [REQUEST, caller]),
        description:
          `Cancel the request to redeem ${words} of ${target.name}. A manager gives the shares back, and then they are to be ` +
          'claimed. A payment that comes first wins over the cancellation.',
        preconditions: [
          check(
            'REQUEST_NOT_FOUND',
            isWaiting,
            isWaiting ? `${words} wait to be redeemed.` : `${caller} has no request to redeem.`,
          ),
          check(
            'CANCELLATION_REDEEM_REQUEST_PENDING',
            !request.isCancelled,
            `The request is ${request.isCancelled ? 'cancelled already' : 'not cancelled'}.`,
          ),
        ],
        changes: [differs('is_cancelled', request.isCancelled, true)],
      };
    },
    // What a manager resolves in the same block does not wait any more, either.
    postCondition: () => ({
      description: 'The request is cancelled, or resolved.',
      holds: (state) => {
        const { request } = positionIn(state);
        const isDone = request.isCancelled || request.shares === 0n;
        return { ok: isDone, actual: isDone ? true : `${tokens(request.shares, shareToken(state))} still wait` };
      },
    }),
  }),

  claim_redemption: single({
    role: 'anyone',
    needsStepUp: false,
    step({ caller, target, state }) {
      const { assets, claimableAssets } = positionIn(state);
      const { asset } = state.vault;
      const words = tokens(claimableAssets, asset);
      const isPaid = claimableAssets > 0n;
      return {
        // By its assets: the shares of a price that was rounded would leave dust.
        call: toVault(target, 'withdraw', [claimableAssets, caller, caller]),
        description: `Claim ${words} that ${target.name} paid for redeemed shares, to ${caller}.`,
        preconditions: [
          check(
            'INVALID_WITHDRAW_PRICE',
            isPaid,
            isPaid ? `${words} can be claimed.` : `Nothing was paid that ${caller} could claim.`,
          ),
        ],
        changes: [
          differs('claimable_assets', `${claimableAssets}`, '0'),
          differs('wallet_assets', `${assets}`, `${assets + claimableAssets}`),
        ],
      };
    },
    postCondition: () => ({
      description: 'What could be claimed is claimed.',
      holds: (state, before) => {
        const { claimableAssets } = positionIn(state);
        const ok = claimableAssets < positionIn(before).claimableAssets;
        return { ok, actual: tokens(claimableAssets, state.vault.asset) };
      },
    }),
  }),

  claim_cancelled_shares: single({
    role: 'anyone',
    needsStepUp: false,
    step({ caller, target, state }) {
      const { shares, claimableShares } = positionIn(state);
      const words = tokens(claimableShares, shareToken(state));
      const isBack = claimableShares > 0n;
      return {
        call: toVault(target, 'claimCancelRedeemRequest', [REQUEST, caller, caller]),
        description: `Take back ${words} of ${target.name} from a cancelled request, to ${caller}.`,
        preconditions: [
          check(
            'REQUEST_NOT_FOUND',
            isBack,
            isBack ? `${words} can be taken back.` : `${caller} has no shares of a cancelled request to take back.`,
          ),
        ],
        changes: [
          differs('claimable_shares', `${claimableShares}`, '0'),
          differs('wallet_shares', `${shares}`, `${shares + claimableShares}`),
        ],
      };
    },
    postCondition: () => ({
      description: 'The shares are back in the wallet.',
      holds: (state, before) => {
        const { claimableShares } = positionIn(state);
        const ok = claimableShares < positionIn(before).claimableShares;
        return { ok, actual: tokens(claimableShares, shareToken(state)) };
      },
    }),
  }),
};
