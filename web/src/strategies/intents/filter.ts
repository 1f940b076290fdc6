import type { Api } from '../../client/api.ts';
import { type Action, actionWords } from '../types.ts';
import { type IntentState, intentStates } from './intent-states.ts';

/** What the history shows, as the URL says. Days are UTC, both ends included. */
export type IntentFilter = {
  state: IntentState | '';
  action: Action | '';
  strategy: string;
  q: string;
  tx: string;
  from: string;
  to: string;
};
export const noFilter: IntentFilter = { state: '', action: '', strategy: '', q: '', tx: '', from: '', to: '' };

const oneOf = <T extends string>(words: Readonly<Record<T, unknown>>, text: string | null): T | '' =>
  text !== null && Object.hasOwn(words, text) ? (text as T) : '';
const matching = (text: string | null, form: RegExp): string => (text !== null && form.test(text) ? text : '');
const DAY = /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])$/;
export const TX = /^0x[0-9a-fA-F]{64}$/;

export const filterFrom = (search: URLSearchParams): IntentFilter => ({
  state: oneOf(intentStates, search.get('state')),
  action: oneOf(actionWords, search.get('action')),
  strategy: matching(search.get('strategy'), /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/),
  q: (search.get('q') ?? '').slice(0, 100),
  tx: matching(search.get('tx'), TX),
  from: matching(search.get('from'), DAY),
  to: matching(search.get('to'), DAY),
});

export const filterParts = (change: Partial<IntentFilter>): Record<string, string | null> =>
  Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value === '' ? null : value]));
export const isEmpty = (filter: IntentFilter): boolean => Object.values(filter).every((value) => value === '');

type Query = Omit<NonNullable<Parameters<Api['listIntents']>[0]['query']>, 'vault_id' | 'limit' | 'cursor'>;

/** The filter as the API takes it. */
export const queryOf = (filter: IntentFilter): Query => ({
  ...(filter.state === '' ? {} : { state: filter.state }),
  ...(filter.action === '' ? {} : { action: filter.action }),
  ...(filter.strategy === '' ? {} : { strategy_id: filter.strategy }),
  ...(filter.q.trim() === '' ? {} : { q: filter.q.trim() }),
  ...(filter.tx === '' ? {} : { tx_hash: filter.tx }),
  ...(filter.from === '' ? {} : { created_from: `${filter.from}T00:00:00.000Z` }),
  ...(filter.to === '' ? {} : { created_to: `${filter.to}T23:59:59.999Z` }),
});
