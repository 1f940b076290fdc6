import { clsx } from 'clsx';
import { CalendarRange } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { toast } from '../design/toast.tsx';
import { type Period, periodLabels, periods, periodWords, whyNot } from './period.ts';
import type { MoneyUnit } from './use-view.ts';

const look = (isChosen: boolean, isOff = false) =>
  clsx(
    'min-h-8 min-w-8 rounded-control px-2.5 text-13 font-medium tabular-nums',
    isChosen ? 'bg-raised text-text' : 'text-muted hover:text-text',
    isOff && 'cursor-not-allowed opacity-50',
  );

type Props = {
  /** Undefined while a range of one's own choice is shown. */
  period: Period | undefined;
  ageSeconds: number;
  onChange: (period: Period) => void;
  /** After the periods, such as what opens a custom range. */
  more?: ReactNode;
};

/** The one period of the page. A choice the vault is too young for stays reachable, so that its reason can be read. */
export function PeriodPicker({ period, ageSeconds, onChange, more }: Props) {
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
      {more}
    </fieldset>
  );
}

type CustomProps = { isChosen: boolean; isOpen: boolean; controls: string; onPress: () => void };

/** Opens the form for a range of one's own choice. */
export const CustomButton = ({ isChosen, isOpen, controls, onPress }: CustomProps) => (
  <button
    type="button"
    aria-pressed={isChosen}
    aria-expanded={isOpen}
    aria-controls={isOpen ? controls : undefined}
    onClick={onPress}
    className={clsx(look(isChosen), 'inline-flex items-center gap-1.5')}
  >
    <CalendarRange size={15} aria-hidden="true" />
    <span className="max-sm:sr-only">Custom</span>
  </button>
);

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
