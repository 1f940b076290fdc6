import { History } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { useSearchParams } from 'react-router';
import { Button } from '../design/button.tsx';
import { Skeleton } from '../design/states.tsx';
import { anchors } from '../navigation/anchors.ts';
import { useArrival } from '../navigation/use-arrival.ts';
import { CustomRange } from '../period/custom-range.tsx';
import { PermalinkButton } from '../period/moment-banner.tsx';
import { CustomButton, PeriodPicker, UnitToggle } from '../period/period-picker.tsx';
import { useView } from '../period/use-view.ts';
import type { Shown } from './vault-gate.tsx';

const ofTimeMachine: readonly (string | undefined)[] = [anchors.timeMachine, anchors.comparison];

const TimeMachine = lazy(() => import('./time-machine/time-machine.tsx'));

/** What all sections share: the range of time, the unit of money, the moment, and a link to what is shown. */
export function Toolbar({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { span, words, fault, unit, ageSeconds, limits, setPeriod, setRange, setUnit } = useView(vault);
  const [isOpen, setIsOpen] = useState(false);
  const form = useId();
  const isCustom = !('period' in span);
  const [search] = useSearchParams();
  const [isChosen, setIsChosen] = useState<boolean>();
  // Who is led to it again after it was closed sees it again.
  const { anchor, key } = useArrival();
  const [arrival, setArrival] = useState<string>();
  if (ofTimeMachine.includes(anchor) && key !== arrival) {
    setArrival(key);
    setIsChosen(true);
  }
  // A link to a comparison shows it.
  const isMachineOpen = isChosen ?? search.has('vs');
  return (
    <div className="flex flex-wrap items-center gap-2">
      <PeriodPicker
        period={isCustom ? undefined : span.period}
        ageSeconds={ageSeconds}
        onChange={(next) => {
          setIsOpen(false);
          setPeriod(next);
        }}
        more={<CustomButton isChosen={isCustom} isOpen={isOpen} controls={form} onPress={() => setIsOpen(!isOpen)} />}
      />
      <UnitToggle unit={unit} symbol={vault.asset.symbol} onChange={setUnit} />
      <span className="flex flex-wrap gap-2 sm:ml-auto">
        <Button aria-expanded={isMachineOpen} onPress={() => setIsChosen(!isMachineOpen)}>
          <History size={14} aria-hidden="true" />
          Time machine
        </Button>
        <PermalinkButton chainTime={vault.chain_time} />
      </span>
      {isOpen ? (
        <CustomRange
          id={form}
          span={span}
          limits={limits}
          onApply={(range) => {
            setIsOpen(false);
            setRange(range);
          }}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
      {isCustom && !isOpen ? <p className="w-full text-13 text-muted">{`Charts and totals ${words}.`}</p> : null}
      {isMachineOpen ? (
        <Suspense fallback={<Skeleton className="h-96 w-full" />}>
          <TimeMachine shown={shown} />
        </Suspense>
      ) : null}
      {fault === undefined ? null : (
        <p role="alert" className="w-full text-13 text-brass">
          {`The range of this link cannot be shown. ${fault} Charts and totals are ${words} instead.`}
        </p>
      )}
    </div>
  );
}
