import { type AuditCategory, auditCategories } from '@castellan/contracts';

/** What the log shows, as the URL says. Days are UTC, both ends included. */
export type AuditFilter = {
  category: AuditCategory | '';
  action: string;
  actor: string;
  from: string;
  to: string;
};

const names = { category: 'category', action: 'action', actor: 'actor', from: 'from', to: 'to' } as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const dayOf = (text: string | null): string =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';
export const isWallet = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text);

export const categoryFrom = (search: URLSearchParams): AuditCategory | '' =>
  auditCategories.find((each) => each === search.get(names.category)) ?? '';

export function filterFrom(search: URLSearchParams): AuditFilter {
  const actor = search.get(names.actor) ?? '';
  return {
    category: categoryFrom(search),
    action: (search.get(names.action) ?? '').slice(0, 64),
    actor: isWallet(actor) ? actor : '',
    from: dayOf(search.get(names.from)),
    to: dayOf(search.get(names.to)),
  };
}

/** Parts of the URL for a change of the filter; what is empty leaves it. */
export const filterParts = (change: Partial<AuditFilter>): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [names[name as keyof AuditFilter], value === '' ? null : value]),
  );

export const isEmpty = (filter: AuditFilter): boolean => Object.values(filter).every((value) => value === '');

/** The filter as the API takes it. */
export const queryOf = (filter: AuditFilter) => ({
  ...(filter.category === '' ? {} : { category: filter.category }),
  ...(filter.action === '' ? {} : { action_type: filter.action }),
  ...(filter.actor === '' ? {} : { actor: filter.actor }),
  ...(filter.from === '' ? {} : { from_timestamp: `${filter.from}T00:00:00.000Z` }),
  ...(filter.to === '' ? {} : { to_timestamp: `${filter.to}T23:59:59.999Z` }),
});
