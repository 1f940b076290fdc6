import { Figure, Figures } from '../../design/card.tsx';
import { Pill } from '../../design/pill.tsx';
import { Empty } from '../../design/states.tsx';
import { formatRate, NONE } from '../../format/figures.ts';
import { formatDuration, formatUtc } from '../../format/time.ts';
import { useMoment } from '../../moment/use-moment.ts';
import { useView } from '../../period/use-view.ts';
import { Metric, type Read } from '../../receipts/metric.tsx';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { useRead } from '../../receipts/use-read.ts';
import { upkeepExact, upkeepText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { emptyAt, runwayInside, runwayText, SOON_SECONDS } from './runway.ts';

/** How long price updates can be paid for: at the cadence of the last 24 hours, and at the fastest the chain allows. */
export function UpkeepFigures({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { span, words } = useView(vault);
  const operations = useRead(shown, 'analyticsOperations', span);
  if (!vault.upkeep_info.enabled) {
    return (
      <Empty title="Price updates cost this vault nothing">
        The chain charges no upkeep, so no balance can run out.
      </Empty>
    );
  }
  return (
    <>
      <ReadFailure of={operations} what="Upkeep" />
      <Figures>
        <Balance shown={shown} operations={operations} />
        <Runway of={operations} isWorst={false} />
        <Runway of={operations} isWorst />
        <Spent shown={shown} operations={operations} words={words} />
      </Figures>
    </>
  );
}

type Props = { shown: Shown; operations: Read<'analyticsOperations'> };

function Balance({ shown, operations }: Props) {
  const { at } = useMoment();
  const { vault } = shown;
  const { upkeep_info: upkeep } = vault;
  const balance = at === undefined ? upkeep.balance : (operations.result.data?.upkeep.balance ?? null);
  const isShort = at === undefined && upkeep.threshold.shortfall !== '0';
  return (
    <Figure
      label="Upkeep balance"
      value={balance === null ? NONE : upkeepText(vault, balance)}
      exact={balance === null ? undefined : upkeepExact(vault, balance)}
    >
      {isShort ? (
        <Pill tone="warn">{`${upkeepText(vault, upkeep.threshold.shortfall)} short`}</Pill>
      ) : balance === null ? (
        'Not read at that moment'
      ) : (
        'Pays for each price update'
      )}
    </Figure>
  );
}

function Runway({ of, isWorst }: { of: Read<'analyticsOperations'>; isWorst: boolean }) {
  const field = isWorst ? 'runway_worst_case_seconds' : 'runway_seconds';
  const left = of.result.data?.upkeep[field] ?? null;
  return (
    <Metric
      of={of}
      label={isWorst ? 'Runway at the fastest cadence' : 'Runway, last 24 hours'}
      path={`upkeep.${field}`}
      value={({ upkeep }) => upkeep[field]}
      show={runwayText}
      exact={(seconds) => formatDuration(seconds)}
      whyNone={isWorst ? 'The chain sets no least interval' : 'No price update in the last 24 hours'}
      {...(left !== null && left < SOON_SECONDS ? { tone: 'brass' as const } : {})}
      context={({ upkeep, as_of, updates_per_day: perDay }) => {
        const { [field]: seconds, runway_7d_seconds: week } = upkeep;
        const empty = seconds === null ? null : emptyAt(as_of, seconds);
        const until = empty === null ? null : `Empty ${formatUtc(empty)}`;
        if (isWorst || perDay === null) return until;
        const pace = `${until === null ? 'At' : `${until}, at`} ${formatRate(perDay)} updates a day`;
        return week === null ? pace : `${pace}; ${runwayInside(week)} at the mean of 7 days`;
      }}
    />
  );
}

function Spent({ shown, operations, words }: Props & { words: string }) {
  const { vault } = shown;
  return (
    <Metric
      of={operations}
      label="Upkeep spent"
      path="upkeep.spent"
      value={({ upkeep }) => upkeep.spent}
      show={(raw) => upkeepText(vault, raw)}
      exact={(raw) => upkeepExact(vault, raw)}
      context={({ upkeep }) =>
        [
          `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
          ...(upkeep.cost_per_update === null ? [] : [`${upkeepText(vault, upkeep.cost_per_update)} an update`]),
          `${upkeepText(vault, upkeep.deposited)} added`,
        ].join(', ')
      }
    />
  );
}
