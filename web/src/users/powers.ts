import type { Role } from './access.ts';

export type Powers = {
  /** One of them, for the beginning of a sentence. */
  who: string;
  may: readonly string[];
  mayNot: readonly string[];
};

/**
 * What each role may do, the only text of it on the screens. The server and the chain decide; a line here follows them:
 * actions of managers in services/vaults/src/prepared-calls, the engine's and the trees' access rules, and the contracts.
 */
export const powers: Readonly<Record<Role, Powers>> = {
  primary_manager: {
    who: 'The primary manager',
    may: [
      'everything a secondary manager may do',
      'add and remove secondary managers and viewers',
      'change fees, the rules of prices and the yield sources',
      'propose a root of allowed actions, and a withdrawal of upkeep',
    ],
    mayNot: ['shorten the waiting time of a proposal'],
  },
  secondary_manager: {
    who: 'A secondary manager',
    may: [
      'pause the vault and release it',
      'write, start and stop strategies, which move the assets of the vault by its allowed actions',
      'arm and stop emergency exits',
      'take the performance fee that is due, for the fee recipient',
      'pay upkeep, and execute a withdrawal of upkeep to the primary manager that waits',
      'make configurations of allowed actions, and execute a proposed root',
      'write posts, acknowledge alerts and change their rules, and read the audit log',
    ],
    mayNot: [
      'change who has access',
      'change fees, the rules of prices or the yield sources',
      'propose a root of allowed actions, or a withdrawal of upkeep',
    ],
  },
  view_only: {
    who: 'A viewer',
    may: ['see everything of this vault in Operate, alerts and prepared changes included'],
    mayNot: ['change anything', 'read the audit log'],
  },
};

/** "A viewer may see …; and may not change anything; nor …." */
export function powersSentence(role: Role): string {
  const { who, may, mayNot } = powers[role];
  return `${who} may ${may.join('; ')}; and may not ${mayNot.join('; nor ')}.`;
}
