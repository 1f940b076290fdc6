import { type ReactNode, useRef } from 'react';
import type { Vault } from '../../data/queries.ts';
import { assetsExact, assetsText } from '../../vault/money.ts';
import type { Lane as LaneId, Strategy } from '../types.ts';
import { boardOf } from './board.ts';
import { Lane, type LaneActions } from './lane.tsx';
import { usePanZoom } from './use-pan-zoom.ts';
import { ZoomTools } from './zoom-tools.tsx';

export type BoardProps = {
  vault: Vault;
  strategies: readonly Strategy[];
  locked: ReadonlySet<string>;
  /** Whether the reader may open what a strategy says. */
  canOpen: boolean;
  actions?: LaneActions | undefined;
};

function lanesOf(props: BoardProps): Record<LaneId, ReactNode> {
  const { vault, strategies, locked, canOpen, actions } = props;
  const lanes = boardOf(strategies).map((lane) => [
    lane.lane,
    <Lane key={lane.lane} vault={vault} lane={lane} locked={locked} canOpen={canOpen} actions={actions} />,
  ]);
  return Object.fromEntries(lanes) as Record<LaneId, ReactNode>;
}

/** The lanes below each other, for small screens and for readers who prefer lists. */
export function LaneList(props: BoardProps) {
  const lanes = lanesOf(props);
  return (
    <div className="grid grid-cols-1 gap-6 lg:grid-cols-3">
      {lanes.REBALANCE}
      {lanes.WITHDRAWAL}
      {lanes.DEPOSIT}
    </div>
  );
}

/** Three lanes around the pool they take from and give to, on a plane that is zoomed and moved. */
export function Canvas(props: BoardProps) {
  const frame = useRef<HTMLElement>(null);
  const plane = useRef<HTMLDivElement>(null);
  const { view, press, reveal, pointers } = usePanZoom(frame, plane);
  const lanes = lanesOf(props);
  return (
    <div className="relative overflow-clip rounded-card border bg-bg">
      <section
        ref={frame}
        aria-label="Canvas of strategies. Arrow keys move it, plus and minus zoom, 0 shows all of it."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is moved by keys has to be reached by them
        tabIndex={0}
        onKeyDown={(event) => {
          const isOwn = event.target === event.currentTarget && !event.ctrlKey && !event.metaKey && !event.altKey;
          if (isOwn && press(event.key)) event.preventDefault();
        }}
        onFocus={({ target }) => {
          // A key led to it: what lies outside of the window would have the focus unseen.
          const card = target.matches(':focus-visible') ? target.closest('[role="row"]') : null;
          if (card) reveal(card, false);
        }}
        {...pointers}
        className="h-[540px] cursor-grab touch-none overflow-clip outline-offset-[-2px] active:cursor-grabbing"
      >
        <div
          ref={plane}
          style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.zoom})`, transformOrigin: '0 0' }}
          className="grid w-[1124px] grid-cols-[300px_88px_300px_88px_300px] gap-y-0 p-6"
        >
          <div className="col-start-3">{lanes.REBALANCE}</div>
          <div className="col-start-3 row-start-2 flex h-14 justify-center">
            <Arrow way="both" />
          </div>
          <div className="col-start-1 row-start-3">{lanes.WITHDRAWAL}</div>
          <div className="col-start-2 row-start-3 px-2 pt-16">
            <Arrow way="right" />
          </div>
          <div className="col-start-3 row-start-3">
            <Pool vault={props.vault} />
          </div>
          <div className="col-start-4 row-start-3 px-2 pt-16">
            <Arrow way="right" />
          </div>
          <div className="col-start-5 row-start-3">{lanes.DEPOSIT}</div>
        </div>
      </section>
      <ZoomTools zoom={view.zoom} onPress={press} />
    </div>
  );
}

function Arrow({ way }: { way: 'right' | 'both' }) {
  const line = { fill: 'none', stroke: 'var(--line-strong)', strokeWidth: 1.5 } as const;
  return way === 'right' ? (
    <svg aria-hidden="true" viewBox="0 0 74 12" className="h-3 w-full">
      <path d="M0 6H72M66 1l6 5-6 5" {...line} />
    </svg>
  ) : (
    <svg aria-hidden="true" viewBox="0 0 12 56" className="h-full w-3">
      <path d="M6 2V54M1 8l5-6 5 6M1 48l5 6 5-6" {...line} />
    </svg>
  );
}

/** What all lanes meet in. */
function Pool({ vault }: { vault: Vault }) {
  const facts = [
    { name: 'Total', raw: vault.total_assets },
    { name: 'Idle', raw: vault.free_assets },
  ];
  return (
    <section aria-label="Pool" className="rounded-card border-2 border-accent bg-surface p-4">
      <h3 className="text-14 font-semibold">{vault.name}</h3>
      <p className="text-12 text-muted">{`Primary asset ${vault.asset.symbol}`}</p>
      <dl className="flex flex-col gap-1 pt-3">
        {facts.map(({ name, raw }) => (
          <div key={name} className="flex items-baseline justify-between gap-3">
            <dt className="text-13 text-muted">{name}</dt>
            <dd className="text-16 font-semibold" title={raw === null ? undefined : assetsExact(vault, raw)}>
              {raw === null ? '—' : assetsText(vault, raw)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
