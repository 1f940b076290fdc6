import { useMemo } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useMoment } from '../moment/use-moment.ts';
import { type Period, periodOf } from './period.ts';

export type MoneyUnit = 'usd' | 'token';

/** Replaces parts of the query of the URL and keeps its hash, so that the section stays named. Null takes a part out. */
export function useQueryPart() {
  const navigate = useNavigate();
  const { search, hash } = useLocation();
  return useMemo(
    () => (parts: Readonly<Record<string, string | null>>) => {
      const next = new URLSearchParams(search);
      for (const [name, value] of Object.entries(parts)) {
        if (value === null) next.delete(name);
        else next.set(name, value);
      }
      void navigate({ search: next.toString(), hash }, { replace: true, preventScrollReset: true });
    },
    [navigate, search, hash],
  );
}

/** What the URL says about how a vault is looked at: the period and the unit of money. */
export function useView(vault: { created_at: string; chain_time: string }) {
  const { search } = useLocation();
  const { at } = useMoment();
  const put = useQueryPart();
  const query = new URLSearchParams(search);
  const ageSeconds = (Date.parse(at ?? vault.chain_time) - Date.parse(vault.created_at)) / 1_000;
  const unit: MoneyUnit = query.get('unit') === 'token' ? 'token' : 'usd';
  return {
    period: periodOf(query.get('period'), ageSeconds),
    unit,
    ageSeconds,
    setPeriod: (next: Period) => put({ period: next }),
    setUnit: (next: MoneyUnit) => put({ unit: next }),
  };
}
