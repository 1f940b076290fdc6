import { clsx } from 'clsx';
import { useId } from 'react';
import { toast } from '../design/toast.tsx';
import { type Period, periodLabels, periods, periodWords, whyNot } from './period.ts';
import type { MoneyUnit } from './use-view.ts';

const look = (isChosen: boolean, isOff = false) =>
  clsx(
    'min-h-8 min-w-8 rounded-control px-2.5 text-13 font-medium tabular-nums',
    isChosen ? 'bg-raised text-text' : 'text-muted hover:text-text',
    isOff && 'cursor-not-allowed opacity-50',
  );

type Props = { period: Period; ageSeconds: number; onChange: (period: Period) => void };

/** The one period of the page. A choice the vault is too young for stays reachable, so that its reason can be read. */
export function PeriodPicker({ period, ageSeconds, onChange }: Props) {
  const id = useId();
  return (
    <fieldset className="flex gap-0.5 rounded-control border bg-surface p-0.5">
      <legend className="sr-only">Period</legend>
      {periods.map((each) => {
        const reason = whyNot(each, ageSeconds);
        return (
          <span key={each} title={reason}>
            <button
              type="button"
              aria-pressed={each === period}
              aria-disabled={reason !== undefined}
              aria-describedby={`${id}-${each}`}
              onClick={() =>
                reason === undefined ? onChange(each) : toast({ tone: 'info', title: reason, key: 'period' })
              }
              className={look(each === period, reason !== undefined)}
            >
              {periodLabels[each]}
            </button>
            <span id={`${id}-${each}`} className="sr-only">
              {reason ?? periodWords[each]}
            </span>
          </span>
        );
      })}
    </fieldset>
  );
}

type UnitProps = { unit: MoneyUnit; symbol: string; onChange: (unit: MoneyUnit) => void };

export function UnitToggle({ unit, symbol, onChange }: UnitProps) {
  return (
    <fieldset className="flex gap-0.5 rounded-control border bg-surface p-0.5">
      <legend className="sr-only">Unit of money</legend>
      {(['usd', 'token'] as const).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === unit}
          onClick={() => onChange(each)}
          className={look(each === unit)}
        >
          {each === 'usd' ? 'USD' : symbol}
        </button>
      ))}
    </fieldset>
  );
}
