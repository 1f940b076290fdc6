import type { Inhibitor } from './rule.ts';

/** What mutes or renames several rules. */

/** For rules about the age of a price. */
export const whilePaused: Inhibitor = {
  rule_id: 'vault_paused',
  effect: 'mute',
  reason: 'The vault is paused. It accepts no price while it is, so an old price is expected.',
};

/** For rules about missing prices: they are named after their cause. */
export const whileUnfunded: Inhibitor = {
  rule_id: 'upkeep_empty',
  effect: 'rename',
  reason: 'The upkeep balance does not cover a price update, so no price is reported. Top it up first.',
  title: 'Price unfunded',
};
