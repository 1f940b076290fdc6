import { useSearchParams } from 'react-router';
import { severityWords } from './alert-labels.ts';
import type { Alert, AlertNarrowing, AlertStatusFilter } from './queries.ts';

/** What the list shows, as the URL says. `vault` is `<chain id>:<address>`; empty: of every vault, of every severity. */
export type AlertFilter = { status: AlertStatusFilter; vault: string; severity: Alert['severity'] | '' };

export const statusOptions: readonly { value: AlertStatusFilter; label: string }[] = [
  { value: 'active', label: 'Active' },
  { value: 'open', label: 'Active or acknowledged' },
  { value: 'acknowledged', label: 'Acknowledged' },
  { value: 'muted', label: 'Muted' },
  { value: 'resolved', label: 'Resolved' },
];
export const severityOptions: readonly { value: AlertFilter['severity']; label: string }[] = [
  { value: '', label: 'Every severity' },
  { value: 'critical', label: severityWords.critical },
  { value: 'warning', label: severityWords.warning },
  { value: 'info', label: severityWords.info },
];

const VAULT = /^([1-9]\d{0,14}):(0x[0-9a-fA-F]{40})$/;

export function filterFrom(search: URLSearchParams): AlertFilter {
  const vault = search.get('vault') ?? '';
  return {
    status: statusOptions.find(({ value }) => value === search.get('status'))?.value ?? 'active',
    vault: VAULT.test(vault) ? vault : '',
    severity: severityOptions.find(({ value }) => value === search.get('severity'))?.value ?? '',
  };
}

/** The filter as the API takes it, besides the status. */
export function narrowingOf({ vault, severity }: AlertFilter): AlertNarrowing {
  const [, chain_id, vault_address] = VAULT.exec(vault) ?? [];
  return {
    ...(chain_id === undefined || vault_address === undefined ? {} : { chain_id, vault_address }),
    ...(severity === '' ? {} : { severity }),
  };
}

/** The filter in the address of the page, so that it can be linked to and gone back to; what is usual is left out. */
export function useAlertFilter() {
  const [search, setSearch] = useSearchParams();
  const filter = filterFrom(search);
  const change = (part: Partial<AlertFilter>) => {
    const { status, vault, severity } = { ...filter, ...part };
    const next = new URLSearchParams();
    if (vault !== '') next.set('vault', vault);
    if (status !== 'active') next.set('status', status);
    if (severity !== '') next.set('severity', severity);
    setSearch(next, { replace: true, preventScrollReset: true });
  };
  return { filter, change };
}
