import { type DropPosition, GridList, GridListItem, useDragAndDrop } from 'react-aria-components';
import type { Vault } from '../../data/queries.ts';
import { type Lane as LaneId, laneWords, type Strategy } from '../types.ts';
import { isLocked, type LaneOf } from './board.ts';
import { dropped, moved, wholeOrder } from './order.ts';
import { type Manage, StrategyCard } from './strategy-card.tsx';

export type LaneActions = {
  /** @param said - What is announced once the order is kept. */
  onReorder: (lane: LaneId, ids: string[], said: string) => void;
  onStart: (strategy: Strategy) => void;
  onStop: (strategy: Strategy) => void;
  isBusy: boolean;
};
type Props = {
  vault: Vault;
  lane: LaneOf;
  locked: ReadonlySet<string>;
  canOpen: boolean;
  actions: LaneActions | undefined;
};

/** One lane in its order. It is put in another by dragging, by the handle and the arrow keys, or by the buttons of a card. */
export function Lane({ vault, lane: { lane, shown, all }, locked, canOpen, actions }: Props) {
  const { title, about } = laneWords[lane];
  const ids = shown.map(({ id }) => id);
  /** @param carried - Those that were moved. */
  const put = (next: string[], carried: ReadonlySet<string>) => {
    const whole = wholeOrder(
      all.map(({ id }) => id),
      next,
    );
    const said = shown
      .filter(({ id }) => carried.has(id))
      .map(({ id, name }) => `${name} is now ${next.indexOf(id) + 1} of ${next.length} in ${title}.`);
    actions?.onReorder(lane, whole, said.join(' '));
  };
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) => {
      const carried = new Set([...keys].map(String));
      const isAfter = (target.dropPosition satisfies DropPosition) === 'after';
      const next = dropped(ids, carried, { id: String(target.key), isAfter });
      if (next.join() !== ids.join()) put(next, carried);
    },
    isDisabled: actions === undefined || actions.isBusy || shown.length < 2,
  });
  const manage: Manage | undefined = actions && {
    ...actions,
    onMove: (strategy, by) => {
      const from = ids.indexOf(strategy.id);
      // One order at a time; a button that is switched off meanwhile would lose the focus.
      if (!actions.isBusy) put(moved(ids, from, from + by), new Set([strategy.id]));
    },
  };
  return (
    <section aria-label={`${title} lane`} className="flex min-w-0 flex-col gap-2">
      <h3 className="flex items-baseline gap-2">
        <span className="text-14 font-semibold">{title}</span>
        <span className="text-12 text-muted">{about}</span>
      </h3>
      {shown.length === 0 ? (
        <p className="rounded-card border border-dashed px-3 py-6 text-center text-13 text-muted">No strategy</p>
      ) : (
        <GridList
          aria-label={`${title} strategies by priority`}
          items={shown}
          keyboardNavigationBehavior="tab"
          dependencies={[shown, locked, actions, vault]}
          {...(actions === undefined ? {} : { dragAndDropHooks })}
          className="flex flex-col gap-2 outline-none"
        >
          {(strategy) => (
            <GridListItem
              id={strategy.id}
              textValue={strategy.name}
              className="rounded-card border bg-surface data-[dragging]:opacity-50 data-[drop-target]:border-accent"
            >
              <StrategyCard
                vault={vault}
                strategy={strategy}
                place={ids.indexOf(strategy.id) + 1}
                last={ids.length}
                isLocked={isLocked(strategy, locked)}
                canOpen={canOpen}
                manage={manage}
              />
            </GridListItem>
          )}
        </GridList>
      )}
    </section>
  );
}
