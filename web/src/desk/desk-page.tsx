import { Button } from '../design/button.tsx';
import { useHead } from '../design/head.ts';
import { Empty, Notice, RowSkeletons } from '../design/states.tsx';
import { formatCount, formatCounted } from '../format/figures.ts';
import { AttentionList, ManagerChanges } from '../home/attention-list.tsx';
import { NotUpdated } from '../live/not-updated.tsx';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { DeskTable } from './desk-table.tsx';
import { useDesk } from './use-desk.ts';

/** All vaults of the signed-in wallet at a glance, and what in them must not be overlooked. */
export function DeskPage() {
  useHead('Operate');
  const { mine, rows, unread, stale, retry } = useDesk();
  const total = mine.data?.total ?? 0;
  return (
    <div className="mx-auto flex w-full max-w-[1680px] flex-col gap-4 px-4 py-6 sm:px-6">
      <h1 className="text-20 font-semibold">Your vaults</h1>
      <ReadTrouble of={mine} what="Your vaults" />
      {mine.isPending ? (
        <div className="rounded-card border bg-surface">
          <RowSkeletons rows={8} />
        </div>
      ) : null}
      {mine.data !== undefined && rows.length === 0 ? (
        <div className="rounded-card border bg-surface">
          <Empty title="No role on any vault">
            A vault appears here once its primary manager gives this wallet a role.
          </Empty>
        </div>
      ) : null}
      {rows.length === 0 ? null : (
        <>
          <ManagerChanges vaults={mine.data?.vaults ?? []} />
          {unread === 0 ? null : (
            <Notice
              tone="warn"
              title={`Figures of ${formatCounted(unread, 'vault')} could not be read`}
              action={<Button onPress={retry}>Try again</Button>}
            >
              Liquidity, redemptions and changes of a day are missing there; the rest stands.
            </Notice>
          )}
          {stale === undefined ? null : (
            <NotUpdated
              what="Liquidity, redemptions and changes of a day"
              readAt={stale.dataUpdatedAt}
              error={stale.error}
              retry={retry}
            />
          )}
          {total <= rows.length ? null : (
            <Notice tone="info" title={`The first ${formatCount(rows.length)} of ${formatCount(total)} vaults`}>
              The others are found by their whole address in the palette.
            </Notice>
          )}
          <DeskTable rows={rows} isStale={mine.isError} />
          <AttentionList heading="h2" />
        </>
      )}
    </div>
  );
}
