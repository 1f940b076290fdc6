import type { Precondition } from '@castellan/contracts';
import {
  afterOf,
  type Context,
  change,
  check,
  differs,
  fromPrimary,
  type StepDraft,
  single,
  toAggregator,
  toToken,
} from '../build.ts';
import type { ChangesOf, KeptStep, PostCondition } from '../change.ts';
import { UPKEEP_WITHDRAWAL_TIMELOCK_SECONDS } from '../limits.ts';
import { matured } from '../timelock.ts';
import { duration, tokens } from '../wording.ts';

type Deposit = Context<'deposit_upkeep'>;

/** Exactly what is deposited unless more is asked for: an allowance left open is a loan without a date. */
function approval({ args, caller, target, state }: Deposit): StepDraft[] {
  const { token } = state.vault.upkeep;
  const amount = BigInt(args.amount);
  const asked = BigInt(args.allowance ?? args.amount);
  const allowed = asked > amount ? asked : amount;
  if (token === null || state.wallet === null || state.wallet.allowance >= amount) return [];
  return [
    {
      call: toToken(token.address, target.aggregator, allowed),
      description:
        `Allow the aggregator ${target.aggregator} to take ${tokens(allowed, token)} from ${caller}: ` +
        (allowed === amount
          ? `exactly the upkeep deposit for ${target.name} that follows. `
          : `the upkeep deposit of ${tokens(amount, token)} for ${target.name} that follows, and the rest for later ones. `) +
        'This moves nothing yet.',
      preconditions: [],
      changes: [differs('allowance', `${state.wallet.allowance}`, `${allowed}`)],
    },
  ];
}

/** In the token's own order: what the aggregator may take, then what there is. */
function payable({ args, caller, state: { vault, wallet } }: Deposit): Precondition[] {
  if (wallet === null) return [];
  const amount = BigInt(args.amount);
  const { token } = vault.upkeep;
  return [
    check(
      'ERC20InsufficientAllowance',
      wallet.allowance >= amount,
      `The aggregator can take ${tokens(wallet.allowance, token)} of the ${tokens(amount, token)} from ${caller}.`,
    ),
    check(
      'ERC20InsufficientBalance',
      wallet.balance >= amount,
      `${caller} has ${tokens(wallet.balance, token)} of the ${tokens(amount, token)}.`,
    ),
  ];
}

function deposit(context: Deposit): StepDraft {
  const { args, target, state } = context;
  const { balance, token } = state.vault.upkeep;
  const amount = BigInt(args.amount);
  return {
    call: toAggregator(target, 'depositUpkeep', [target.strategy, amount]),
    description: `Pay ${tokens(amount, token)} into the upkeep of ${target.name}, which pays for its price updates. Only the primary manager can withdraw it, one day after proposing to.`,
    preconditions: [
      check('ZERO_AMOUNT', amount > 0n, `The amount is ${tokens(amount, token)}; it must be above zero.`),
      ...payable(context),
    ],
    changes: [differs('upkeep_balance', `${balance}`, `${balance + amount}`)],
  };
}

const allowed = ({ changes }: KeptStep<'deposit_upkeep'>): PostCondition => {
  const needed = BigInt(String(afterOf(changes, 'allowance')));
  return {
    description: 'The aggregator can take the upkeep tokens that the deposit needs.',
    holds: ({ wallet, vault }) => ({
      ok: wallet !== null && wallet.allowance >= needed,
      actual: wallet && tokens(wallet.allowance, vault.upkeep.token),
    }),
  };
};

// Prices are paid for meanwhile, so the balance need not be the sum of both.
const grown = ({ changes }: KeptStep<'deposit_upkeep'>): PostCondition => {
  const before = changes.find(({ field }) => field === 'upkeep_balance')?.before ?? '0';
  return {
    description: 'The vault has more upkeep than before.',
    holds: ({ vault: { upkeep } }) => ({
      ok: upkeep.balance > BigInt(String(before)),
      actual: tokens(upkeep.balance, upkeep.token),
    }),
  };
};

/** The upkeep balance, by the rules of SuperVaultAggregator. */
export const upkeepChanges: ChangesOf<'deposit_upkeep' | 'propose_upkeep_withdrawal' | 'execute_upkeep_withdrawal'> = {
  deposit_upkeep: change({
    role: 'manager',
    needsStepUp: false,
    steps(context) {
      const first = approval(context);
      const then = deposit(context);
      return first.length === 0 ? [then] : [...first, { ...then, metBefore: ['ERC20InsufficientAllowance'] }];
    },
    postCondition: (kept) => (kept.function === 'approve' ? allowed(kept) : grown(kept)),
  }),

  propose_upkeep_withdrawal: single({
    role: 'primary_manager',
    needsStepUp: true,
    step({ request, target, state }) {
      const { balance, token, pendingWithdrawal } = state.vault.upkeep;
      return {
        call: toAggregator(target, 'proposeWithdrawUpkeep', [target.strategy]),
        description:
          `Propose to withdraw the whole upkeep balance of ${target.name}, ${tokens(balance, token)}. It can be withdrawn ` +
          `${duration(UPKEEP_WITHDRAWAL_TIMELOCK_SECONDS)} later. Without upkeep the next price report pauses the vault.`,
        preconditions: [
          fromPrimary('UNAUTHORIZED_UPDATE_AUTHORITY', request, state),
          check('ZERO_AMOUNT', balance > 0n, `The upkeep balance is ${tokens(balance, token)}.`),
        ],
        changes: [
          differs('pending_upkeep_withdrawal', pendingWithdrawal ? `${pendingWithdrawal.value}` : null, `${balance}`),
        ],
      };
    },
    // A price paid for before the proposal is mined makes its amount smaller.
    postCondition: () => ({
      description: 'A withdrawal of the upkeep is proposed.',
      holds: ({ vault: { upkeep } }) => ({
        ok: upkeep.pendingWithdrawal !== null,
        actual: upkeep.pendingWithdrawal && tokens(upkeep.pendingWithdrawal.value, upkeep.token),
      }),
    }),
  }),

  execute_upkeep_withdrawal: single({
    role: 'manager',
    needsStepUp: false,
    step({ target, state }) {
      const { primaryManager, upkeep, blockTimestamp } = state.vault;
      const { balance, token, pendingWithdrawal: pending } = upkeep;
      const paid = pending === null ? 0n : pending.value < balance ? pending.value : balance;
      return {
        call: toAggregator(target, 'executeWithdrawUpkeep', [target.strategy]),
        description:
          `Pay ${tokens(paid, token)} of the upkeep of ${target.name} to its primary manager ${primaryManager}. ` +
          'Without upkeep the next price report pauses the vault.',
        preconditions: matured(
          { missing: 'UPKEEP_WITHDRAWAL_NOT_FOUND', early: 'UPKEEP_WITHDRAWAL_NOT_READY' },
          { what: 'withdrawal of the upkeep', effectiveTime: pending?.effectiveTime ?? null },
          blockTimestamp,
        ),
        changes: [
          differs('upkeep_balance', `${balance}`, `${balance - paid}`),
          differs('pending_upkeep_withdrawal', pending ? `${pending.value}` : null, null),
        ],
      };
    },
    postCondition: () => ({
      description: 'No withdrawal of the upkeep is proposed any longer.',
      holds: ({ vault: { upkeep } }) => ({
        ok: upkeep.pendingWithdrawal === null,
        actual: upkeep.pendingWithdrawal && tokens(upkeep.pendingWithdrawal.value, upkeep.token),
      }),
    }),
  }),
};
