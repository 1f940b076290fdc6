/** Where a person reads what to do about an alert of the rule: a page of the repository and its heading. */
export const runbookOf = (rule: string): string => `docs/runbooks/alerts.md#${rule}`;
