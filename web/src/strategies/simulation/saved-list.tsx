import { useInfiniteQuery, useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { amount } from '../../charts/units.ts';
import { useApp } from '../../client/services.ts';
import type { Vault } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Empty, Failure, RowSkeletons } from '../../design/states.tsx';
import { toast } from '../../design/toast.tsx';
import { formatCount } from '../../format/figures.ts';
import { formatUtc } from '../../format/time.ts';
import { More } from '../../lists/more.tsx';
import { assetsSigned, assetsText } from '../../vault/money.ts';
import { mayWrite } from '../types.ts';
import { useEngineVault } from '../use-strategies.ts';
import type { Saved, Summary } from './request.ts';
import { overlaid } from './series.ts';

/** As many as a reader can distinguish in a chart. */
const MOST_COMPARED = 4;
const kindWords = { backtest: 'Back-test', ahead: 'Ahead' } as const;

type Props = { vault: Vault; onOpen: (id: string) => void };

/** Runs that were kept: to open, compare or delete. */
export function SavedList({ vault, onOpen }: Props) {
  const { api } = useApp();
  const { vault_id, root, isSignedIn } = useEngineVault(vault);
  const [compared, setCompared] = useState<readonly string[]>([]);
  const [dropping, setDropping] = useState<Summary>();
  const list = useInfiniteQuery({
    queryKey: [...root, 'simulations'],
    queryFn: ({ pageParam }) =>
      api.listSimulations({ query: { vault_id, limit: '25', ...(pageParam === null ? {} : { cursor: pageParam }) } }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled: isSignedIn,
  });
  const saved = list.data?.pages.flatMap(({ simulations }) => simulations) ?? [];
  const chosen = compared.filter((id) => saved.some((each) => each.id === id));
  const toggle = (id: string) => {
    if (chosen.includes(id)) return setCompared(chosen.filter((each) => each !== id));
    const out = chosen.length < MOST_COMPARED ? undefined : saved.find((each) => each.id === chosen[0]);
    if (out !== undefined)
      toast({
        tone: 'info',
        title: `${out.name} is not compared any more: at most ${MOST_COMPARED} are`,
        key: 'compared',
      });
    setCompared([...chosen, id].slice(-MOST_COMPARED));
  };
  return (
    <section aria-label="Kept simulations" className="flex flex-col gap-2">
      <h3 className="text-14 font-semibold">Kept simulations</h3>
      <Card isFlush>
        {list.data === undefined ? (
          list.isError ? (
            <div className="p-4">
              <Failure error={list.error} retry={() => list.refetch()} />
            </div>
          ) : (
            <RowSkeletons rows={2} />
          )
        ) : saved.length === 0 ? (
          <Empty title="No run kept yet">A run appears here once you keep it under a name.</Empty>
        ) : (
          <>
            <SavedTable
              vault={vault}
              saved={saved}
              chosen={chosen}
              onToggle={toggle}
              onOpen={onOpen}
              onDrop={setDropping}
            />
            <More list={list} shown={saved.length} total={list.data.pages[0]?.total ?? 0} what="simulations" />
          </>
        )}
      </Card>
      {chosen.length < 2 ? null : <Compared vault={vault} ids={chosen} />}
      {dropping === undefined ? null : (
        <DropDialog vault={vault} summary={dropping} onClose={() => setDropping(undefined)} />
      )}
    </section>
  );
}

type TableProps = {
  vault: Vault;
  saved: readonly Summary[];
  chosen: readonly string[];
  onToggle: (id: string) => void;
  onOpen: (id: string) => void;
  onDrop: (summary: Summary) => void;
};

function SavedTable({ vault, saved, chosen, onToggle, onOpen, onDrop }: TableProps) {
  return (
    <PlainTable
      label="Kept simulations"
      head={['Name', 'Kind', 'Kept', 'Fired', 'Gained before gas', 'Compare', 'Actions']}
      words={[1, 2, 5]}
      isLastPinned
      rows={saved.map((summary) => {
        const { id, name, kind, created_at, fired, gained_assets } = summary;
        return {
          id,
          cells: [
            name,
            kindWords[kind],
            formatUtc(created_at),
            formatCount(fired),
            assetsSigned(vault, gained_assets),
            <input
              key="compare"
              type="checkbox"
              aria-label={`Compare ${name}`}
              checked={chosen.includes(id)}
              onChange={() => onToggle(id)}
              className="size-6 accent-[var(--accent)]"
            />,
            <span key="actions" className="flex flex-col gap-1 sm:flex-row sm:justify-end sm:gap-2">
              <Button aria-label={`Open ${name}`} onPress={() => onOpen(id)}>
                Open
              </Button>
              {mayWrite(vault.my_role) ? (
                <Button look="danger" aria-label={`Delete ${name}`} onPress={() => onDrop(summary)}>
                  Delete
                </Button>
              ) : null}
            </span>,
          ],
        };
      })}
    />
  );
}

function Compared({ vault, ids }: { vault: Vault; ids: readonly string[] }) {
  const { api } = useApp();
  const { root } = useEngineVault(vault);
  const reads = useQueries({
    queries: ids.map((id) => ({
      queryKey: [...root, 'simulation', id],
      queryFn: () => api.getSimulation({ params: { id } }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  const runs = reads.flatMap(({ data }) => data ?? []);
  const failed = reads.find(({ isError }) => isError);
  if (failed !== undefined) return <Failure error={failed.error} title="They could not be compared" />;
  return runs.length < ids.length ? <RowSkeletons rows={3} /> : <SideBySide vault={vault} runs={runs} />;
}

function SideBySide({ vault, runs }: { vault: Vault; runs: readonly Saved[] }) {
  const unit = useMemo(() => amount(vault.asset.symbol), [vault.asset.symbol]);
  const series = useMemo(() => overlaid(runs, vault), [runs, vault]);
  const best = runs.toSorted((a, b) => (BigInt(b.gained_assets) > BigInt(a.gained_assets) ? 1 : -1))[0];
  const row = (id: string, value: (run: Saved) => string) => ({ id, cells: [id, ...runs.map(value)] });
  const moved = ({ result }: Saved) =>
    String(result.strategies.reduce((sum, { moved_assets }) => sum + BigInt(moved_assets), 0n));
  return (
    <>
      <Card isFlush>
        <PlainTable
          label="Comparison"
          head={['Figure', ...runs.map(({ name }) => name)]}
          rows={[
            row('Kind', ({ kind }) => kindWords[kind]),
            row('From', ({ result }) => formatUtc(result.from)),
            row('To', ({ result }) => formatUtc(result.to)),
            row('Strategies', ({ result }) => formatCount(result.strategies.length)),
            row('Fired', ({ fired }) => formatCount(fired)),
            row('Moved', (run) => assetsText(vault, moved(run))),
            row('Gained before gas', ({ gained_assets }) => assetsSigned(vault, gained_assets)),
          ]}
        />
      </Card>
      <Chart
        title="Total assets, side by side"
        takeaway={best === undefined ? undefined : `${best.name} gained most.`}
        series={series}
        unit={unit}
        fileName="simulations-compared"
        empty={{ title: 'No reading', detail: 'None of these runs had a reading of the vault.' }}
      />
    </>
  );
}

function DropDialog({ vault, summary, onClose }: { vault: Vault; summary: Summary; onClose: () => void }) {
  const { api } = useApp();
  const { root } = useEngineVault(vault);
  const queries = useQueryClient();
  const drop = useMutation({
    mutationFn: () => api.deleteSimulation({ params: { id: summary.id } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: [...root, 'simulations'] });
      toast({ tone: 'info', title: `${summary.name} was deleted` });
      onClose();
    },
  });
  return (
    <Dialog title="Delete the simulation" isOpen onClose={onClose}>
      <div className="flex flex-col gap-4 text-13">
        <p>{`“${summary.name}” is forgotten. The same can be run again as long as the history of the vault is kept.`}</p>
        {drop.isError ? <Failure error={drop.error} title="It was not deleted" /> : null}
        <span className="flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>Keep it</Button>
          <Button look="danger" isDisabled={drop.isPending} onPress={() => drop.mutate()}>
            Delete
          </Button>
        </span>
      </div>
    </Dialog>
  );
}
