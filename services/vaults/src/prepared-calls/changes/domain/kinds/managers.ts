import type { Address } from 'viem';
import { isAddressEqual, zeroAddress } from 'viem';
import { check, differs, fromPrimary, single, toAggregator } from '../build.ts';
import type { ChangeState, ChangesOf, PostCondition } from '../change.ts';
import { moment, plural } from '../wording.ts';

const unauthorized = 'UNAUTHORIZED_UPDATE_AUTHORITY';

const isSecondary = ({ vault }: ChangeState, wallet: string): boolean =>
  vault.secondaryManagers.some((manager) => isAddressEqual(manager, wallet as Address));

const listed = (wallet: string, expected: boolean): PostCondition => ({
  description: `${wallet} is ${expected ? '' : 'not '}among the secondary managers.`,
  holds: (state) => {
    const actual = isSecondary(state, wallet);
    return { ok: actual === expected, actual };
  },
});

const roleChanges = (state: ChangeState, isThere: boolean, adding: boolean) => {
  const count = state.vault.secondaryManagers.length;
  const after = adding === isThere ? count : count + (adding ? 1 : -1);
  return [
    differs('role', isThere ? 'secondary_manager' : null, adding ? 'secondary_manager' : null),
    differs('secondary_managers', count, after),
  ];
};

/** Managers of a vault, by the rules of SuperVaultAggregator. */
export const managerChanges: ChangesOf<'add_secondary_manager' | 'remove_secondary_manager' | 'cancel_primary_change'> =
  {
    add_secondary_manager: single({
      role: 'primary_manager',
      needsStepUp: false,
      step({ request, args, target, state }) {
        const manager = args.manager_address as Address;
        const { primaryManager, secondaryManagers } = state.vault;
        const isThere = isSecondary(state, manager);
        const isPrimary = isAddressEqual(manager, primaryManager);
        const { maxSecondaryManagers: max } = state;
        return {
          call: toAggregator(target, 'addSecondaryManager', [target.strategy, manager]),
          description:
            `Make ${manager} a secondary manager of ${target.name}: it can run hooks, fulfil redemptions, skim fees and ` +
            'pause or unpause the vault, but cannot change settings or roles.',
          preconditions: [
            fromPrimary(unauthorized, request, state),
            check('ZERO_ADDRESS', manager !== zeroAddress, 'A manager must have an address other than zero.'),
            check(
              'SECONDARY_MANAGER_CANNOT_BE_PRIMARY',
              !isPrimary,
              `${manager} is ${isPrimary ? '' : 'not '}the primary manager, who cannot be a secondary manager too.`,
            ),
            check(
              'MANAGER_ALREADY_EXISTS',
              !isThere,
              `${manager} is ${isThere ? 'already a secondary manager' : 'not a secondary manager yet'}.`,
            ),
            check(
              'TOO_MANY_SECONDARY_MANAGERS',
              secondaryManagers.length < max,
              `The vault has ${plural(secondaryManagers.length, 'secondary manager')} of at most ${max}.`,
            ),
          ],
          changes: roleChanges(state, isThere, true),
        };
      },
      postCondition: ({ request }) => listed(request.args.manager_address, true),
    }),

    remove_secondary_manager: single({
      role: 'primary_manager',
      needsStepUp: true,
      step({ request, args, target, state }) {
        const manager = args.manager_address as Address;
        const isThere = isSecondary(state, manager);
        return {
          call: toAggregator(target, 'removeSecondaryManager', [target.strategy, manager]),
          description: `Remove ${manager} as a secondary manager of ${target.name}. It can no longer pause the vault.`,
          preconditions: [
            fromPrimary(unauthorized, request, state),
            check(
              'MANAGER_NOT_FOUND',
              isThere,
              `${manager} is ${isThere ? '' : 'not '}a secondary manager of this vault.`,
            ),
          ],
          changes: roleChanges(state, isThere, false),
        };
      },
      postCondition: ({ request }) => listed(request.args.manager_address, false),
    }),

    cancel_primary_change: single({
      role: 'primary_manager',
      needsStepUp: false,
      step({ request, target, state }) {
        const pending = state.vault.pendingManagerChange;
        const detail = pending
          ? `${pending.value} is proposed as primary manager and can take over from ${moment(pending.effectiveTime)}.`
          : 'No change of the primary manager is proposed.';
        return {
          call: toAggregator(target, 'cancelChangePrimaryManager', [target.strategy]),
          description:
            `Cancel the proposed change of the primary manager of ${target.name}` +
            `${pending ? ` to ${pending.value}` : ''}: ${state.vault.primaryManager} stays.`,
          preconditions: [
            fromPrimary(unauthorized, request, state),
            check('NO_PENDING_MANAGER_CHANGE', pending !== null, detail),
          ],
          changes: [differs('pending_primary_manager', pending?.value ?? null, null)],
        };
      },
      postCondition: () => ({
        description: 'No change of the primary manager is proposed.',
        holds: ({ vault: { pendingManagerChange } }) => ({
          ok: pendingManagerChange === null,
          actual: pendingManagerChange?.value ?? null,
        }),
      }),
    }),
  };
