import { useSearchParams } from 'react-router';
import type { Sorting } from '../design/table.tsx';
import { SOON_SECONDS } from '../vault/fees/runway.ts';
import { changesOfDay, type DeskRow, ofRead, openAlerts, pendingRequests } from './rows.ts';

/** What the table can be narrowed to; a vault whose figure could not be read, or is not known, is not hidden by it. */
export const narrowings = {
  all: { label: 'All vaults', fits: () => true },
  alerts: { label: 'With open alerts', fits: (row) => openAlerts(row) !== 0 },
  proposals: { label: 'With proposals', fits: ({ vault }) => vault.proposals?.length !== 0 },
  state: { label: 'Not live', fits: ({ vault }) => vault.operational_state !== 'live' },
  price: { label: 'Price not fresh', fits: ({ vault }) => vault.pps_status !== 'fresh' },
  queue: { label: 'With pending redemptions', fits: (row) => pendingRequests(row) !== 0 },
  liquidity: {
    label: 'Short of liquidity',
    fits: ({ summary }) => ofRead(summary, ({ run }) => run.shortfall) !== '0',
  },
  upkeep: {
    label: 'Upkeep for less than 7 days',
    fits: ({ vault: { upkeep_info: upkeep } }) =>
      upkeep === undefined ||
      (upkeep.enabled &&
        (upkeep.threshold.shortfall !== '0' ||
          (upkeep.runway_seconds === null
            ? upkeep.threshold.required_balance !== '0'
            : upkeep.runway_seconds < SOON_SECONDS))),
  },
  changed: { label: 'Roles or settings changed', fits: (row) => changesOfDay(row) !== 0 },
} as const satisfies Record<string, { label: string; fits: (row: DeskRow) => boolean }>;
export type Narrowing = keyof typeof narrowings;

const isNarrowing = (text: string): text is Narrowing => Object.hasOwn(narrowings, text);

export type DeskState = { text: string; show: Narrowing; sorting: Sorting; columns: string[] | undefined };

export const DEFAULT_SORT: Sorting = { id: 'value', desc: true };

export function stateFrom(params: URLSearchParams): DeskState {
  const show = params.get('show') ?? 'all';
  const sort = params.get('sort');
  return {
    text: params.get('q') ?? '',
    show: isNarrowing(show) ? show : 'all',
    sorting: sort ? { id: sort.replace(/^-/, ''), desc: sort.startsWith('-') } : DEFAULT_SORT,
    columns: params.get('columns')?.split(','),
  };
}

/** The address of a state: what is usual is left out, so that equal states are equal texts. */
export function searchOf({ text, show, sorting, columns }: DeskState): string {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (show !== 'all') params.set('show', show);
  if (sorting.id !== DEFAULT_SORT.id || sorting.desc !== DEFAULT_SORT.desc)
    params.set('sort', `${sorting.desc ? '-' : ''}${sorting.id}`);
  if (columns !== undefined) params.set('columns', columns.join(','));
  return params.toString();
}

export function narrowed(rows: readonly DeskRow[], { text, show }: DeskState): DeskRow[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter((row) => {
    const { name, symbol = '', underlying_asset_symbol: asset = '', vault_address } = row.vault;
    const isFound = [name, symbol, asset, vault_address, row.chainName].some((field) =>
      field.toLowerCase().includes(wanted),
    );
    return isFound && narrowings[show].fits(row);
  });
}

/** The state of the table in the address of the page, so that it can be kept, sent and gone back to. */
export function useDeskState() {
  const [params, setParams] = useSearchParams();
  const state = stateFrom(params);
  const go = (search: string) => setParams(search, { replace: true, preventScrollReset: true });
  return {
    state,
    search: searchOf(state),
    page: Math.max(1, Math.trunc(Number(params.get('page'))) || 1),
    /** Another state begins with its first page. */
    change: (part: Partial<DeskState>) => go(searchOf({ ...state, ...part })),
    open: go,
    turn: (page: number) => {
      const next = new URLSearchParams(searchOf(state));
      if (page > 1) next.set('page', String(page));
      go(next.toString());
    },
  };
}
