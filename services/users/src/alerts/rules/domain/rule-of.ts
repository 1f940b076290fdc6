import { type AlertRuleId, type AnyRuleId, alertRuleIds } from '@castellan/contracts';
import type { Settings } from '../../journal/domain/journal.ts';
import type { Facts } from './facts.ts';
import { deletedRule, ownRule } from './own-rule.ts';
import type { Rule } from './rule.ts';
import { rules } from './rules.ts';

const isOfCatalogue = (id: AnyRuleId): id is AlertRuleId => Object.hasOwn(rules, id);

/** A rule by its id: of the catalogue, or one that managers made for this vault. */
export function ruleOf(facts: Facts, id: AnyRuleId): Rule {
  if (isOfCatalogue(id)) return rules[id];
  const set = facts.ownRules.get(id);
  return set ? ownRule(set) : deletedRule;
}

/** Every rule that is judged: the catalogue, the vault's own, and those that were deleted with something open. */
export const ruleIdsOf = (facts: Facts, watched: Iterable<string>): AnyRuleId[] => [
  ...new Set<AnyRuleId>([...alertRuleIds, ...facts.ownRules.keys(), ...watched]),
];

/** What a rule is set to on this vault now. */
export function settingsOf(facts: Facts, id: AnyRuleId): Settings {
  const { defaults } = ruleOf(facts, id);
  const set = facts.settings.get(id);
  return set ? { ...set, thresholds: { ...defaults.thresholds, ...set.thresholds } } : defaults;
}
