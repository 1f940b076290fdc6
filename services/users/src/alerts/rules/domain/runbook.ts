import { type AnyRuleId, OwnRuleId } from '@castellan/contracts';

/** Where a person reads what to do about an alert of the rule: a page of the repository and its heading. */
export const runbookOf = (rule: AnyRuleId): string =>
  `docs/runbooks/alerts.md#${OwnRuleId.safeParse(rule).success ? 'own_rule' : rule}`;
