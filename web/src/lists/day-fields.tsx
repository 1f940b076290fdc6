import { type Days, isReversed } from './days.ts';

type Props = { days: Days; onChange: (change: Partial<Days>) => void };

/** The first and the last day of a filter. */
export const DayFields = ({ days, onChange }: Props) => (
  <>
    {(['from', 'to'] as const).map((end) => (
      <label key={end} className="flex flex-col gap-1 text-13 font-medium">
        {end === 'from' ? 'From day (UTC)' : 'To day (UTC)'}
        <input
          type="date"
          value={days[end]}
          onChange={({ target }) => onChange({ [end]: target.value })}
          aria-invalid={end === 'to' && isReversed(days)}
          className="h-9 w-full rounded-control border border-line-strong bg-raised px-3 text-13"
        />
      </label>
    ))}
  </>
);
