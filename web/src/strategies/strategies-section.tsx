import { Empty, RowSkeletons } from '../design/states.tsx';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { OfNow } from '../moment/of-now.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { lockedTargets } from './canvas/board.ts';
import { Canvas, LaneList } from './canvas/canvas.tsx';
import { isLive, isOwn } from './types.ts';
import { useStrategyList } from './use-strategies.ts';

/** What executes by itself on the vault, for reading. The public sees what is done and in which order, but not when. */
export default function StrategiesSection({ shown: { vault } }: { shown: Shown }) {
  const list = useStrategyList(vault);
  const trouble = <ReadTrouble of={list} what="The strategies" />;
  if (list.data === undefined)
    return (
      <>
        {trouble}
        {list.isError ? null : <RowSkeletons rows={6} />}
      </>
    );
  const { strategies } = list.data;
  const own = strategies.filter((strategy) => isOwn(strategy) && isLive(strategy));
  const board = { vault, strategies, locked: lockedTargets(strategies, []), canOpen: false };
  return (
    <>
      {trouble}
      <div className="flex flex-wrap items-center justify-between gap-2 empty:hidden">
        {own.length === 0 ? null : (
          <p className="text-13 text-muted">
            {own.some(({ is_redacted }) => is_redacted)
              ? 'What executes by itself, lane by lane in the order of priority. Rules, sizes and limits are shown only to those with a role, because others could trade ahead of them.'
              : 'What executes by itself, lane by lane in the order of priority.'}
          </p>
        )}
        <OfNow />
      </div>
      {own.length > 0 ? (
        window.matchMedia('(max-width: 799px)').matches ? (
          <LaneList {...board} />
        ) : (
          <Canvas {...board} />
        )
      ) : (
        <Empty title="No strategy">A strategy appears here once a manager of the vault saves one.</Empty>
      )}
    </>
  );
}
