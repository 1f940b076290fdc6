import { ArrowLeft, ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Failure, Notice, Skeleton } from '../../design/states.tsx';
import { formatCount } from '../../format/figures.ts';
import { formatDuration, formatUtc } from '../../format/time.ts';
import { anchors } from '../../navigation/anchors.ts';
import { useFormArrival } from '../../navigation/use-form-arrival.ts';
import type { Shown } from '../vault-gate.tsx';
import { Calendar } from './calendar.tsx';
import { neighbour } from './marks.ts';
import { MomentComparison, momentWords } from './moment-comparison.tsx';
import { Legend, Timeline } from './timeline.tsx';
import { useMarks } from './use-marks.ts';
import { useMoments } from './use-moments.ts';

const forms = [anchors.timeMachine, anchors.comparison] as const;

/** Chooses the moment that the page shows, and a second one to compare it with. */
export default function TimeMachine({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { at, versus, isVersusMalformed, show, compareWith } = useMoments();
  useFormArrival(forms);
  const found = useMarks(shown, { period: 'all', points: '800' });
  const { marks, thinned, error, refetch, isWithoutBreaches, breachesLeft } = found;
  const here = Date.parse(at ?? vault.chain_time);
  const before = neighbour(marks ?? [], here, -1);
  const after = neighbour(marks ?? [], here, 1);
  return (
    <Card id={anchors.timeMachine} className="flex w-full flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-14 font-semibold">Time machine</h3>
        <div className="flex flex-wrap gap-2">
          <Button isDisabled={before === undefined} onPress={() => show(before?.t)}>
            <ArrowLeft size={14} aria-hidden="true" />
            Event before
          </Button>
          <Button isDisabled={at === undefined || after === undefined} onPress={() => show(after?.t)}>
            Event after
            <ArrowRight size={14} aria-hidden="true" />
          </Button>
        </div>
      </div>
      {error !== null ? (
        <Failure
          error={error}
          title={`What happened could not be read${marks === undefined ? '' : ' anew'}`}
          retry={() => void refetch()}
        />
      ) : null}
      {isWithoutBreaches ? (
        <Notice
          tone="warn"
          title="Broken promises could not be read"
          action={<Button onPress={() => void found.refetchBreaches()}>Try again</Button>}
        >
          Those of the mandate are missing among what happened.
        </Notice>
      ) : null}
      <Timeline created={vault.created_at} now={vault.chain_time} at={at} marks={marks ?? []} onShow={show} />
      {marks === undefined && error === null ? <Skeleton className="h-6 w-full" /> : null}
      {marks === undefined ? null : marks.length === 0 ? (
        <p className="text-13 text-muted">Nothing that is marked here has happened to this vault yet.</p>
      ) : (
        <Legend marks={marks} />
      )}
      {thinned === undefined ? null : (
        <p className="text-12 text-muted">
          {`The line has the last mark of each kind in every ${formatDuration(thinned.seconds)}; the calendar has more of them, month by month.`}
        </p>
      )}
      {breachesLeft > 0 ? (
        <p className="text-12 text-muted">
          {`Only the latest broken promises are marked: the oldest ${formatCount(breachesLeft)} of the mandate are not.`}
        </p>
      ) : null}
      <Calendar shown={shown} at={at} onShow={show} versus={versus} onCompare={compareWith} />
      <Compared at={at} versus={versus} created={vault.created_at} now={vault.chain_time} onCompare={compareWith} />
      {isVersusMalformed ? (
        <Notice tone="warn" title="This link names no second moment that can be read">
          It should be UTC, such as 2026-11-20T14:05:00Z, or now.
        </Notice>
      ) : null}
      {versus === undefined || versus === (at ?? 'now') ? null : (
        <MomentComparison shown={shown} moments={[versus, at ?? 'now']} />
      )}
    </Card>
  );
}

/** Why the vault has no state at a time that was typed; empty where it has one. */
function whyNot(t: number, created: string, now: string): string {
  if (t < Date.parse(created)) return `The vault was created on ${formatUtc(created)}: choose a later time.`;
  return t > Date.parse(now) ? 'This is still to come: choose an earlier time.' : '';
}

/** The first whole minute at which there was the vault, as a field of dates takes it. */
const firstMinute = (created: string): string =>
  new Date(Math.ceil(Date.parse(created) / 60_000) * 60_000).toISOString().slice(0, 16);

type ComparedProps = {
  at: string | undefined;
  versus: string | undefined;
  created: string;
  now: string;
  onCompare: (moment: string | undefined) => void;
};

/** Which moment stands beside the one shown. The one shown is kept, so that the next one chosen is compared with it. */
function Compared({ at, versus, created, now, onCompare }: ComparedProps) {
  const [field, setField] = useState('');
  // Some browsers add seconds to what is typed.
  const chosen = field === '' ? undefined : `${field.slice(0, 16)}:00.000Z`;
  const refused = chosen === undefined ? '' : whyNot(Date.parse(chosen), created, now);
  if (versus !== undefined)
    return (
      <div id={anchors.comparison} tabIndex={-1} className="flex flex-wrap items-center gap-3 text-13 outline-none">
        <span>
          {versus === (at ?? 'now')
            ? `${momentWords(versus)} is kept: another moment that you choose stands beside it.`
            : `Compared with ${versus === 'now' ? 'now' : formatUtc(versus)}.`}
        </span>
        <Button onPress={() => onCompare(undefined)}>End the comparison</Button>
      </div>
    );
  return (
    <div id={anchors.comparison} className="flex flex-wrap items-end gap-3">
      {at === undefined ? null : <Button onPress={() => onCompare('now')}>Compare with now</Button>}
      <label className="flex min-w-0 flex-1 basis-52 flex-col gap-1 text-13 font-medium sm:flex-none">
        Compare with (UTC)
        <input
          type="datetime-local"
          value={field}
          min={firstMinute(created)}
          max={now.slice(0, 16)}
          onChange={({ target }) => setField(target.value)}
          className="h-9 w-full rounded-control border border-line-strong bg-raised px-3 text-13"
        />
      </label>
      <Button isDisabled={chosen === undefined || refused !== ''} onPress={() => onCompare(chosen)}>
        Compare
      </Button>
      <p role="status" className="flex min-h-9 items-center text-13 text-brass empty:hidden">
        {refused}
      </p>
    </div>
  );
}
