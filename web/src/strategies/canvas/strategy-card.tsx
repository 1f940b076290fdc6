import { ArrowDown, ArrowUp, GripVertical, Lock, Siren } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Link, useLocation } from 'react-router';
import type { Vault } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { Pill } from '../../design/pill.tsx';
import { formatShare, NONE } from '../../format/figures.ts';
import { isOfRewards, targetText } from '../rewards.ts';
import { actionWords, isOwn, type Strategy, sourceAt, stateWords } from '../types.ts';
import { useRewards } from '../use-strategies.ts';

/** What may be done with the strategies that are shown; absent where they are only read. */
export type Manage = {
  onMove: (strategy: Strategy, by: -1 | 1) => void;
  onStart: (strategy: Strategy) => void;
  onStop: (strategy: Strategy) => void;
  /** An order is being kept. */
  isBusy: boolean;
};

type Props = {
  vault: Vault;
  strategy: Strategy;
  /** Counted from 1. */
  place: number;
  last: number;
  isLocked: boolean;
  /** Whether its definition can be opened. */
  canOpen: boolean;
  manage: Manage | undefined;
};

const step =
  'grid size-6 shrink-0 place-items-center rounded text-muted hover:bg-raised hover:text-text disabled:opacity-40';

/** One strategy: its place, name, state, and the source it works on with what that holds of the vault. */
export function StrategyCard({ vault, strategy, place, last, isLocked, canOpen, manage }: Props) {
  const { state, action_config } = strategy;
  const { word, tone } = stateWords[state];
  const own = isOwn(strategy);
  return (
    <div className="flex flex-col gap-2 p-3">
      <div className="flex items-start gap-2">
        {manage !== undefined ? (
          <AriaButton slot="drag" className="-ml-1.5 grid size-6 shrink-0 cursor-grab place-items-center text-muted">
            <GripVertical size={16} aria-hidden="true" />
          </AriaButton>
        ) : null}
        <span className="min-w-6 rounded bg-raised px-1.5 text-center text-12 leading-5 font-medium tabular-nums">
          <span className="sr-only">Priority </span>
          {place}
        </span>
        <Name strategy={strategy} canOpen={canOpen && own} />
        {manage !== undefined ? <Moves strategy={strategy} place={place} last={last} onMove={manage.onMove} /> : null}
      </div>
      <Target vault={vault} strategy={strategy} />
      <div className="flex flex-wrap items-center gap-1.5">
        <Pill tone={own ? tone : 'critical'} {...(own ? {} : { icon: Siren })}>
          {own ? word : 'Armed'}
        </Pill>
        {isLocked ? (
          <Pill tone="warn" icon={Lock} title="An emergency exit drains its source; it does nothing until that ends.">
            Locked
          </Pill>
        ) : null}
        {manage !== undefined && own ? <Toggle strategy={strategy} manage={manage} isLocked={isLocked} /> : null}
      </div>
      {strategy.error === null ? null : <p className="text-12 break-words text-danger">{strategy.error}</p>}
      <span className="sr-only">{actionWords[action_config.action]}</span>
    </div>
  );
}

type MovesProps = Pick<Props, 'strategy' | 'place' | 'last'> & Pick<Manage, 'onMove'>;

/** One place up or down. At an end of the lane the button that led there is switched off, and the other one takes the focus. */
function Moves({ strategy, place, last, onMove }: MovesProps) {
  const up = useRef<HTMLButtonElement>(null);
  const down = useRef<HTMLButtonElement>(null);
  const pressed = useRef<-1 | 1>(undefined);
  useLayoutEffect(() => {
    const [own, other] = pressed.current === -1 ? [up, down] : [down, up];
    const isHere = document.activeElement === own.current || document.activeElement === document.body;
    if (pressed.current === (place === 1 ? -1 : place === last ? 1 : 0) && isHere) other.current?.focus();
    pressed.current = undefined;
  }, [place, last]);
  const move = (by: -1 | 1) => {
    pressed.current = by;
    onMove(strategy, by);
  };
  return (
    <span className="flex shrink-0">
      <AriaButton
        ref={up}
        aria-label={`Move ${strategy.name} up`}
        isDisabled={place === 1}
        onPress={() => move(-1)}
        className={step}
      >
        <ArrowUp size={14} aria-hidden="true" />
      </AriaButton>
      <AriaButton
        ref={down}
        aria-label={`Move ${strategy.name} down`}
        isDisabled={place === last}
        onPress={() => move(1)}
        className={step}
      >
        <ArrowDown size={14} aria-hidden="true" />
      </AriaButton>
    </span>
  );
}

function Name({ strategy: { id, name }, canOpen }: { strategy: Strategy; canOpen: boolean }) {
  const { search } = useLocation();
  if (!canOpen) return <span className="min-w-0 flex-1 text-13 font-semibold break-words">{name}</span>;
  const query = new URLSearchParams(search);
  query.set('edit', id);
  return (
    <Link to={{ search: query.toString() }} className="link min-w-0 flex-1 text-13 font-semibold break-words">
      {name}
    </Link>
  );
}

function Target({ vault, strategy: { action_config } }: { vault: Vault; strategy: Strategy }) {
  const { target_address, from_address, action } = action_config;
  const source = sourceAt(vault, target_address);
  const share = source?.share ?? null;
  const isReward = isOfRewards(action);
  const rewards = useRewards(vault, isReward);
  return (
    <p className="flex items-baseline justify-between gap-2 text-12 text-muted">
      <span className="min-w-0 break-words" title={target_address}>
        {targetText(vault, { action, from: from_address, target: target_address }, rewards)}
      </span>
      {isReward ? null : (
        <span
          className="shrink-0 tabular-nums"
          title={share === null ? 'Not a yield source of this vault' : 'Share of the vault in this source'}
        >
          {share === null ? NONE : formatShare(share)}
        </span>
      )}
    </p>
  );
}

function Toggle({ strategy, manage, isLocked }: { strategy: Strategy; manage: Manage; isLocked: boolean }) {
  const { name, state } = strategy;
  const look = 'ml-auto min-h-6! px-2! text-12!';
  if (state === 'RUNNING')
    return (
      <Button className={look} aria-label={`Stop ${name}`} onPress={() => manage.onStop(strategy)}>
        Stop
      </Button>
    );
  if (state === 'ERROR')
    return (
      <Button className={look} aria-label={`Reset ${name}`} onPress={() => manage.onStop(strategy)}>
        Reset
      </Button>
    );
  return (
    <Button
      className={look}
      aria-label={`Start ${name}`}
      isDisabled={isLocked}
      onPress={() => manage.onStart(strategy)}
    >
      Start
    </Button>
  );
}
