import { isReversed } from '../../lists/days.ts';
import type { Span } from '../../period/period.ts';
import type { ListQuery } from '../../receipts/use-pages.ts';
import { type TransactionType, transactionTypes } from './transaction-labels.ts';

/** What the list of transactions shows, as the URL says. Days are UTC, both ends included. */
export type TransactionFilter = {
  type: TransactionType | 'all';
  wallet: string;
  from: string;
  to: string;
  /** Of one transaction, in lower case: its entries alone, whenever it was. */
  hash: string;
};

export const filterNames = { type: 'tx', wallet: 'wallet', from: 'tx_from', to: 'tx_to', hash: 'tx_hash' } as const;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const dayOf = (text: string | null): string =>
  text !== null && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';
export const isWallet = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text);
const isHash = (text: string): boolean => /^0x[0-9a-fA-F]{64}$/.test(text);

export function filterFrom(search: URLSearchParams): TransactionFilter {
  const type = search.get(filterNames.type);
  const wallet = search.get(filterNames.wallet) ?? '';
  const hash = search.get(filterNames.hash) ?? '';
  return {
    type: transactionTypes.find((each) => each === type) ?? 'all',
    wallet: isWallet(wallet) ? wallet : '',
    from: dayOf(search.get(filterNames.from)),
    to: dayOf(search.get(filterNames.to)),
    hash: isHash(hash) ? hash.toLowerCase() : '',
  };
}

/** Parts of the URL for a change of the filter; what is empty leaves it. */
export const filterParts = (change: Partial<TransactionFilter>): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [
      filterNames[name as keyof TransactionFilter],
      value === '' || value === 'all' ? null : value,
    ]),
  );

const DAY_MS = 86_400_000;

/** Days chosen for the list alone, which overrule the page's. */
export const hasDays = (filter: TransactionFilter): boolean =>
  (filter.from !== '' || filter.to !== '') && !isReversed(filter);

/** The days as a range of times; without days the range of the page, and for one transaction all time. An open beginning is that of the vault. */
export function rangeOf(filter: TransactionFilter, span: Span, createdAt: string): Span {
  const { from, to, hash } = filter;
  if (!hasDays(filter)) return hash === '' ? span : { period: 'all' };
  return {
    from: from === '' ? createdAt : `${from}T00:00:00.000Z`,
    ...(to === '' ? {} : { to: new Date(Date.parse(to) + DAY_MS).toISOString() }),
  };
}

export const queryOf = (filter: TransactionFilter, range: Span): ListQuery<'analyticsTransactions'> => ({
  ...range,
  ...(filter.type === 'all' ? {} : { type: filter.type }),
  ...(filter.wallet === '' ? {} : { wallet: filter.wallet }),
  ...(filter.hash === '' ? {} : { tx_hash: filter.hash }),
});

/** The columns of an export that the filter narrows. */
export const exportOnly = ({ type, wallet, hash }: TransactionFilter): Record<string, string> => ({
  ...(type === 'all' ? {} : { type }),
  ...(wallet === '' ? {} : { wallet_address: wallet }),
  ...(hash === '' ? {} : { tx_hash: hash }),
});
