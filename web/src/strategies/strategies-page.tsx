import { LayoutList, Plus, Workflow } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { AwaitedCode } from '../design/awaited-code.tsx';
import { Button } from '../design/button.tsx';
import { Notice, RowSkeletons } from '../design/states.tsx';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useQueryPart } from '../period/use-view.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { Archived } from './archived.tsx';
import { lockedTargets } from './canvas/board.ts';
import { Canvas, LaneList } from './canvas/canvas.tsx';
import type { LaneActions } from './canvas/lane.tsx';
import { EngineBar } from './engine-bar.tsx';
import { StateDialog, type StateStep } from './state-dialog.tsx';
import { isLive, isOwn, mayWrite, type Strategy } from './types.ts';
import { useShard, useStrategyActions, useStrategyList } from './use-strategies.ts';

const Editor = lazy(async () => ({ default: (await import('./editor/editor.tsx')).Editor }));

/** What executes by itself on the vault: the canvas of its strategies, and the editor of one. */
export function StrategiesPage({ shown }: { shown: Shown }) {
  const edited = new URLSearchParams(useLocation().search).get('edit');
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      {edited === null ? (
        <Overview shown={shown} />
      ) : (
        <Suspense
          fallback={
            <AwaitedCode>
              <RowSkeletons rows={8} />
            </AwaitedCode>
          }
        >
          <Editor key={edited} shown={shown} id={edited === 'new' ? undefined : edited} />
        </Suspense>
      )}
    </div>
  );
}

type BoardView = 'list' | 'canvas';

/** On a narrow screen lanes stand below each other unless somebody asks for the canvas. */
function useBoardView() {
  const put = useQueryPart();
  const asked = new URLSearchParams(useLocation().search).get('view');
  const isNarrow = window.matchMedia('(max-width: 799px)').matches;
  const usual: BoardView = isNarrow ? 'list' : 'canvas';
  const view: BoardView = asked === 'list' || asked === 'canvas' ? asked : usual;
  return { view, setView: (next: BoardView) => put({ view: next === usual ? null : next }) };
}

function Overview({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const list = useStrategyList(vault);
  const strategies = list.data?.strategies ?? [];
  // Where nothing runs the engine has nothing to say but a 404.
  const doesRun = strategies.some(({ state }) => state === 'RUNNING');
  const shard = useShard(vault, doesRun);
  const { reorder } = useStrategyActions(vault);
  const { view, setView } = useBoardView();
  const [asked, setAsked] = useState<{ strategy: Strategy; step: StateStep }>();
  const may = mayWrite(vault.my_role);
  const actions: LaneActions | undefined = may
    ? {
        onReorder: (lane, ids, said) => reorder.mutate({ lane, ids, said }),
        onStart: (strategy) => setAsked({ strategy, step: 'start' }),
        onStop: (strategy) => setAsked({ strategy, step: 'stop' }),
        isBusy: reorder.isPending,
      }
    : undefined;
  const board = {
    vault,
    strategies,
    actions,
    canOpen: true,
    locked: lockedTargets(strategies, shard.data?.emergency_locks ?? []),
  };
  return (
    <>
      <Head may={may} view={view} onView={setView} />
      <EngineBar shown={shown} shard={list.data !== undefined && !doesRun ? null : shard.data} />
      {shard.isError ? (
        <Notice tone="warn" title="What runs now could not be read">
          Locks of emergency exits may be missing here.
        </Notice>
      ) : null}
      <ReadTrouble of={list} what="The strategies" />
      {list.data === undefined ? (
        list.isError ? null : (
          <RowSkeletons rows={8} />
        )
      ) : (
        <>
          {strategies.some((strategy) => isOwn(strategy) && isLive(strategy)) ? null : (
            <p className="text-13 text-muted">
              {may
                ? 'A strategy appears here once you save one. It does nothing until you start it.'
                : 'A strategy appears here once a manager saves one.'}
            </p>
          )}
          {view === 'list' ? <LaneList {...board} /> : <Canvas {...board} />}
          <Archived strategies={strategies} />
        </>
      )}
      {asked === undefined ? null : <StateDialog vault={vault} {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

type HeadProps = { may: boolean; view: BoardView; onView: (view: BoardView) => void };

function Head({ may, view, onView }: HeadProps) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0 flex-1 basis-72">
        <h2 className="text-20 font-semibold">Strategies</h2>
        <p className="text-13 text-muted">
          What executes by itself, lane by lane in the order of priority. A strategy runs only once it is started.
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button onPress={() => onView(view === 'list' ? 'canvas' : 'list')}>
          {view === 'list' ? <Workflow size={16} aria-hidden="true" /> : <LayoutList size={16} aria-hidden="true" />}
          {view === 'list' ? 'Show the canvas' : 'Show as lists'}
        </Button>
        {may ? (
          <Link
            to={{ search: '?edit=new' }}
            className="inline-flex min-h-9 items-center gap-2 rounded-control bg-accent px-3 text-13 font-medium text-on-accent hover:brightness-110"
          >
            <Plus size={16} aria-hidden="true" />
            New strategy
          </Link>
        ) : null}
      </div>
    </div>
  );
}
