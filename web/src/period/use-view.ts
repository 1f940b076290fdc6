import { useMemo } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useMoment } from '../moment/use-moment.ts';
import { type CustomRange, type Limits, type Period, spanName, spanOf, spanWords } from './period.ts';

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

const shared = ['period', 'from', 'to', 'unit', 'at', 'vs'];

/** The part of a query that goes along from one part of a vault's page to the next; a filter of one table does not. */
export function sharedQuery(search: string): string {
  const kept = [...new URLSearchParams(search)].filter(([name]) => shared.includes(name));
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`;
}

/** What the URL says about how a vault is looked at: the range of time and the unit of money. */
export function useView(vault: { created_at: string; chain_time: string }) {
  const { search } = useLocation();
  const { at } = useMoment();
  const put = useQueryPart();
  const query = new URLSearchParams(search);
  const limits: Limits = { created: vault.created_at, end: at ?? vault.chain_time };
  const ageSeconds = (Date.parse(limits.end) - Date.parse(limits.created)) / 1_000;
  const unit: MoneyUnit = query.get('unit') === 'token' ? 'token' : 'usd';
  const { span, fault } = spanOf(query, ageSeconds, limits);
  return {
    span,
    /** For the middle of a sentence. */
    words: spanWords(span),
    rangeName: spanName(span),
    /** Why the range of the URL is not followed. */
    fault,
    unit,
    ageSeconds,
    limits,
    setPeriod: (next: Period) => put({ period: next, from: null, to: null }),
    setRange: (next: CustomRange) => put({ period: null, from: next.from, to: next.to ?? null }),
    setUnit: (next: MoneyUnit) => put({ unit: next }),
  };
}
