import type { ReactNode } from 'react';
import { Card } from '../design/card.tsx';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { formatUtc } from '../format/time.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { aimsOf, type Targets } from './aims.ts';
import { BarLegend } from './share-bar.tsx';
import { TargetsTable } from './targets-table.tsx';
import { useTargets } from './use-targets.ts';

type Props = { shown: Shown; action?: (targets: Targets) => ReactNode };

/** Targets and caps against what the sources hold, for those with a role on the vault. */
export default function TargetsPanel({ shown, action }: Props) {
  const targets = useTargets(shown.vault);
  const { data } = targets;
  if (data === undefined)
    return targets.isError ? (
      <ReadTrouble of={targets} what="The targets" />
    ) : (
      <Card isFlush>
        <RowSkeletons rows={6} />
      </Card>
    );
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-center justify-between gap-3 border-b px-4 py-3">
        <h3 className="text-14 font-semibold">Targets and caps</h3>
        {action?.(data)}
      </div>
      <Against shown={shown} targets={data} />
    </Card>
  );
}

const isSet = ({ sources }: Targets): boolean =>
  sources.some(({ target_bps, cap_in_force_bps }) => target_bps !== null || cap_in_force_bps !== null);

function Against({ shown: { vault }, targets }: { shown: Shown; targets: Targets }) {
  if (!isSet(targets))
    return (
      <Empty title="No target and no cap yet">
        With them each source is shown against what it is to hold, and rules of strategies can name the difference.
      </Empty>
    );
  const { updated_at: at, version, idle } = targets;
  const promised = idle.mandate_at_least_bps;
  return (
    <>
      <TargetsTable vault={vault} aims={aimsOf(vault, targets.sources)} />
      <div className="flex flex-col gap-1 border-t px-4 py-2">
        <BarLegend />
        <p className="text-12 text-muted">
          {at === null ? 'The caps are those of the mandate.' : `Version ${version}, set ${formatUtc(at)}.`}
          {promised === null ? '' : ` The mandate promises ${promised / 100} % idle at least.`}
        </p>
      </div>
    </>
  );
}
