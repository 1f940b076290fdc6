import { clsx } from 'clsx';
import { ChevronLeft, ChevronRight, Plus } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Failure, RowSkeletons } from '../../design/states.tsx';
import { formatCount } from '../../format/figures.ts';
import { formatClock, formatDay, formatDuration, formatLongDay, formatMonth } from '../../format/time.ts';
import type { Shown } from '../vault-gate.tsx';
import {
  countWords,
  dayAfter,
  dayOf,
  endOfDay,
  kindsOf,
  type Mark,
  markKinds,
  monthAfter,
  monthOf,
  weeksOf,
} from './marks.ts';
import { useMarks } from './use-marks.ts';

type Props = {
  shown: Shown;
  at: string | undefined;
  onShow: (at: string | undefined) => void;
  /** The moment that is compared with, and how to choose one; `now` for the present. */
  versus: string | undefined;
  onCompare: (moment: string | undefined) => void;
};

/** A month with what happened on each of its days. Arrows go by days and weeks, Page Up and Down by months. */
export function Calendar({ shown, at, onShow, versus, onCompare }: Props) {
  const { created_at, chain_time } = shown.vault;
  const first = dayOf(created_at);
  const today = dayOf(chain_time);
  const [focused, setFocused] = useState(() => clamp(dayOf(at ?? chain_time), first, today));
  // A moment that was chosen elsewhere is looked up here; one chosen here has the focus already.
  const [seen, setSeen] = useState(at);
  if (seen !== at) {
    setSeen(at);
    setFocused(clamp(dayOf(at ?? chain_time), first, today));
  }
  const month = focused.slice(0, 7);
  const from = month === monthOf(created_at) ? created_at : `${month}-01T00:00:00.000Z`;
  const nextMonth = `${monthAfter(month, 1)}-01T00:00:00.000Z`;
  const to = month === monthOf(chain_time) ? undefined : nextMonth;
  // The first second of a month belongs to it: windows begin after their `from`.
  const begins = new Date(Date.parse(from) - 1_000).toISOString();
  // Without an end it is the last block that is indexed, which the vault's own time is ahead of.
  const ends = to === undefined ? {} : { to: new Date(Date.parse(to) - 1_000).toISOString() };
  const { marks, thinned, error, refetch } = useMarks(shown, { from: begins, ...ends, points: '2000' });
  const byDay = Map.groupBy(marks ?? [], ({ t }) => dayOf(t));
  /** A day as it ended; today is the present. */
  const momentOf = (day: string) => (day === today ? undefined : endOfDay(day));
  const pick = (day: string) => {
    setFocused(day);
    onShow(momentOf(day));
  };
  const move = (to: string) => setFocused(clamp(to, first, today));
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-[auto_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-2">
        <div className="flex items-center justify-between gap-2">
          <Button
            look="quiet"
            aria-label="Month before"
            isDisabled={month <= monthOf(created_at)}
            onPress={() => move(`${monthAfter(month, -1)}-01`)}
          >
            <ChevronLeft size={16} aria-hidden="true" />
          </Button>
          <p aria-live="polite" className="text-13 font-medium">
            {formatMonth(`${month}-01T00:00:00Z`)}
          </p>
          <Button
            look="quiet"
            aria-label="Month after"
            isDisabled={month >= monthOf(chain_time)}
            onPress={() => move(`${monthAfter(month, 1)}-01`)}
          >
            <ChevronRight size={16} aria-hidden="true" />
          </Button>
        </div>
        <Days
          month={month}
          focused={focused}
          chosen={at === undefined ? today : dayOf(at)}
          limits={{ first, today }}
          byDay={byDay}
          onMove={move}
          onPick={pick}
        />
        {thinned === undefined ? null : (
          <p className="max-w-72 text-12 text-muted">
            {`This month has ${formatCount(thinned.total)} events, more than are listed: each day has the last of each kind in every ${formatDuration(thinned.seconds)}, and counts those.`}
          </p>
        )}
      </div>
      {error !== null && marks === undefined ? (
        <Failure error={error} title="What happened could not be read" retry={() => void refetch()} />
      ) : marks === undefined ? (
        <RowSkeletons rows={3} />
      ) : (
        <DayEvents
          day={focused}
          end={momentOf(focused) ?? 'now'}
          versus={versus}
          marks={byDay.get(focused) ?? []}
          onShow={onShow}
          onCompare={onCompare}
        />
      )}
    </div>
  );
}

const clamp = (day: string, first: string, last: string): string => (day < first ? first : day > last ? last : day);

const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'] as const;

type DaysProps = {
  month: string;
  focused: string;
  chosen: string;
  limits: { first: string; today: string };
  byDay: ReadonlyMap<string, readonly Mark[]>;
  onMove: (day: string) => void;
  onPick: (day: string) => void;
};

/** Where a key leads to from a day; undefined for keys of others. */
export function dayByKey(key: string, day: string): string | undefined {
  const byMonth = (by: number) => {
    const month = monthAfter(day.slice(0, 7), by);
    const last = dayAfter(`${monthAfter(month, 1)}-01`, -1);
    return [`${month}${day.slice(7)}`, last].sort()[0];
  };
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  const moves: Readonly<Record<string, () => string | undefined>> = {
    ArrowLeft: () => dayAfter(day, -1),
    ArrowRight: () => dayAfter(day, 1),
    ArrowUp: () => dayAfter(day, -7),
    ArrowDown: () => dayAfter(day, 7),
    Home: () => dayAfter(day, -weekday),
    End: () => dayAfter(day, 6 - weekday),
    PageUp: () => byMonth(-1),
    PageDown: () => byMonth(1),
  };
  return moves[key]?.();
}

function Days({ month, focused, chosen, limits, byDay, onMove, onPick }: DaysProps) {
  const table = useRef<HTMLTableElement>(null);
  const isByKey = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the day that a key led to gets the focus, once it is there
  useEffect(() => {
    if (!isByKey.current) return;
    isByKey.current = false;
    table.current?.querySelector<HTMLButtonElement>('button[tabindex="0"]')?.focus();
  }, [focused]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = dayByKey(event.key, focused);
    if (next === undefined) return;
    event.preventDefault();
    isByKey.current = true;
    onMove(next);
  };
  return (
    <table
      ref={table}
      aria-label={`Days of ${formatMonth(`${month}-01T00:00:00Z`)}`}
      className="border-collapse text-12"
      onKeyDown={onKeyDown}
    >
      <thead>
        <tr>
          {weekdays.map((day) => (
            <th key={day} scope="col" className="h-6 text-center font-medium text-muted">
              {day}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((week) => (
          <tr key={week.find((day) => day !== null)}>
            {week.map((day, index) => (
              <td key={day ?? weekdays[index]} className="p-0.5">
                {day === null ? null : (
                  <Day
                    day={day}
                    isFocused={day === focused}
                    isChosen={day === chosen}
                    isOff={day < limits.first || day > limits.today}
                    marks={byDay.get(day) ?? []}
                    onPick={onPick}
                  />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type DayProps = {
  day: string;
  isFocused: boolean;
  isChosen: boolean;
  isOff: boolean;
  marks: readonly Mark[];
  onPick: (day: string) => void;
};

/** As many as a day has room for; of more kinds the last place says that there are others. */
const MOST_DOTS = 5;

function Day({ day, isFocused, isChosen, isOff, marks, onPick }: DayProps) {
  const kinds = kindsOf(marks);
  const hasMore = kinds.length > MOST_DOTS;
  const what = countWords(marks);
  return (
    <button
      type="button"
      tabIndex={isFocused ? 0 : -1}
      disabled={isOff}
      aria-pressed={isChosen}
      aria-label={`${formatLongDay(`${day}T00:00:00Z`)}${what === '' ? '' : `: ${what}`}`}
      onClick={() => onPick(day)}
      className={clsx(
        'flex h-10 w-full min-w-9 flex-col items-center justify-center gap-1 rounded-control tabular-nums disabled:opacity-30',
        isChosen ? 'bg-raised font-semibold text-text' : 'text-muted not-disabled:hover:text-text',
      )}
    >
      {Number(day.slice(8))}
      <span aria-hidden="true" className="flex h-1 items-center gap-0.5">
        {kinds.slice(0, hasMore ? MOST_DOTS - 1 : MOST_DOTS).map((kind) => (
          <span
            key={kind}
            data-kind={kind}
            className="size-1 rounded-full"
            style={{ background: markKinds[kind].colour }}
          />
        ))}
        {hasMore ? <Plus size={6} strokeWidth={4} data-kind="more" /> : null}
      </span>
    </button>
  );
}

const MOST_LISTED = 12;

type DayEventsProps = Pick<Props, 'onShow' | 'versus' | 'onCompare'> & {
  day: string;
  /** Its last moment; `now` while it lasts. */
  end: string;
  marks: readonly Mark[];
};

/** What happened on a day; each leads to the moment right after it, or is what others are compared with. */
function DayEvents({ day, end, marks, onShow, versus, onCompare }: DayEventsProps) {
  const [isWhole, setIsWhole] = useState(false);
  const listed = isWhole ? marks : marks.slice(0, MOST_LISTED);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h4 className="text-13 font-medium">{formatDay(`${day}T00:00:00Z`)}</h4>
        <CompareButton moment={end} versus={versus} onCompare={onCompare}>
          Compare with this day
        </CompareButton>
      </div>
      {marks.length === 0 ? (
        <p className="text-13 text-muted">Nothing that is marked here happened on this day.</p>
      ) : (
        <ul className="flex flex-col divide-y text-13">
          {listed.map((mark, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several of one kind happen in one block
            <li key={`${mark.t} ${mark.words} ${index}`} className="flex items-center gap-2">
              <DayEvent mark={mark} onShow={onShow} versus={versus} onCompare={onCompare} />
            </li>
          ))}
        </ul>
      )}
      {marks.length > listed.length ? (
        <Button look="quiet" onPress={() => setIsWhole(true)}>{`All ${marks.length} of this day`}</Button>
      ) : null}
    </div>
  );
}

type DayEventProps = Pick<Props, 'onShow' | 'versus' | 'onCompare'> & { mark: Mark };

const DayEvent = ({ mark: { t, kind, words }, onShow, versus, onCompare }: DayEventProps) => (
  <>
    <button
      type="button"
      onClick={() => onShow(t)}
      className="flex min-h-9 min-w-0 flex-1 items-center gap-2 text-left hover:text-accent"
    >
      <span aria-hidden="true" className="h-3 w-0.5 shrink-0" style={{ background: markKinds[kind].colour }} />
      <span className="text-muted tabular-nums">{formatClock(t)}</span>
      <span className="min-w-0 truncate">{words}</span>
    </button>
    <CompareButton
      moment={t}
      versus={versus}
      onCompare={onCompare}
      aria-label={`Compare with ${formatClock(t)}, ${words}`}
    >
      Compare
    </CompareButton>
  </>
);

type CompareProps = Pick<Props, 'versus' | 'onCompare'> &
  Pick<ComponentProps<typeof Button>, 'children' | 'aria-label'> & { moment: string };

/** Pressed once more it ends the comparison. */
function CompareButton({ moment, versus, onCompare, ...props }: CompareProps) {
  const isCompared = moment === versus;
  return (
    <Button
      {...props}
      look={isCompared ? 'secondary' : 'quiet'}
      aria-pressed={isCompared}
      onPress={() => onCompare(isCompared ? undefined : moment)}
    />
  );
}
