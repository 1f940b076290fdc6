import { feedKinds, feedSeverities } from '@castellan/contracts';
import type { Kind, Severity } from './feed-labels.ts';

/** What of a feed is shown. Days are UTC, both ends included. */
export type FeedFilter = { kind: Kind | ''; severity: Severity | ''; from: string; to: string };

export const everything: FeedFilter = { kind: '', severity: '', from: '', to: '' };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const dayOf = (text: string | null): string =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';

export const filterFrom = (search: URLSearchParams): FeedFilter => ({
  kind: feedKinds.find((each) => each === search.get('kind')) ?? '',
  severity: feedSeverities.find((each) => each === search.get('severity')) ?? '',
  from: dayOf(search.get('from')),
  to: dayOf(search.get('to')),
});

/** Parts of the URL for a change of the filter; what is empty leaves it. */
export const filterParts = (change: Partial<FeedFilter>): Record<string, string | null> =>
  Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value === '' ? null : value]));

export const isEmpty = (filter: FeedFilter): boolean => Object.values(filter).every((value) => value === '');

/** The filter as the API takes it. */
export const queryOf = ({ kind, severity, from, to }: FeedFilter) => ({
  ...(kind === '' ? {} : { kind }),
  ...(severity === '' ? {} : { severity }),
  ...(from === '' ? {} : { from: `${from}T00:00:00.000Z` }),
  ...(to === '' ? {} : { to: `${to}T23:59:59.999Z` }),
});
