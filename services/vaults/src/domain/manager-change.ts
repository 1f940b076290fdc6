import type { ErrorCode } from '@castellan/contracts';

/** The aggregator's managers of one strategy at the latest block; wallets in lower case. */
export type ManagerState = { primary: string; secondary: readonly string[]; maxSecondary: number };

/** A change of secondary managers; wallets in lower case. */
export type ManagerChange = { kind: 'add' | 'remove'; caller: string; manager: string };

const zeroAddress = `0x${'0'.repeat(40)}`;

/**
 * What the aggregator would refuse the change with, by its own checks in its own order; null when it would accept.
 * @see addSecondaryManager and removeSecondaryManager of the aggregator.
 */
export function predictRefusal({ kind, caller, manager }: ManagerChange, state: ManagerState): ErrorCode | null {
  if (caller !== state.primary) return 'UNAUTHORIZED_UPDATE_AUTHORITY';
  if (manager === zeroAddress && kind === 'add') return 'ZERO_ADDRESS';
  if (kind === 'remove') return state.secondary.includes(manager) ? null : 'MANAGER_NOT_FOUND';
  if (manager === state.primary) return 'SECONDARY_MANAGER_CANNOT_BE_PRIMARY';
  if (state.secondary.includes(manager)) return 'MANAGER_ALREADY_EXISTS';
  return state.secondary.length >= state.maxSecondary ? 'TOO_MANY_SECONDARY_MANAGERS' : null;
}

/** A refusal in words, for the person who asked. */
export const refusalText = (
  code: string,
  { manager, maxSecondary }: { manager: string; maxSecondary: number },
): string => {
  const texts: Record<string, string> = {
    UNAUTHORIZED_UPDATE_AUTHORITY: 'Only the primary manager can change secondary managers.',
    ZERO_ADDRESS: 'The zero address cannot be a manager.',
    MANAGER_NOT_FOUND: `${manager} is not a secondary manager of this vault.`,
    SECONDARY_MANAGER_CANNOT_BE_PRIMARY: `${manager} is the primary manager and cannot be a secondary manager too.`,
    MANAGER_ALREADY_EXISTS: `${manager} is a secondary manager already.`,
    TOO_MANY_SECONDARY_MANAGERS: `The vault has ${maxSecondary} secondary managers, the most it may have. Remove one first.`,
  };
  return texts[code] ?? `The chain would refuse this call (${code}).`;
};
