import type { Cancel, PacemakerState, ProtocolEvent } from '../ports.ts';
import type { Instance } from './instance.ts';
import {
  firstState,
  knownEpoch,
  lastEpoch,
  onWish,
  ownWish,
  type PacemakerStep,
  plausibleEpoch,
  restoredState,
} from './pacemaker.ts';
import type { Scope } from './scope.ts';

type Reason = Extract<ProtocolEvent, { type: 'epoch_changed' }>['reason'];

export type Epochs = {
  start(record: PacemakerState | null): Promise<void>;
  onWish(from: number, epoch: number): Promise<'ok' | 'duplicate'>;
  /** A round was completed. */
  progress(): void;
  /** The leader has spoken. */
  heard(): void;
  changeLeader(reason: Reason): Promise<void>;
  /** Hands the epoch over when this oracle leads it: the others need not wait until its silence is noticed. */
  resign(): Promise<void>;
  epoch(): number;
  /** No honest oracle is beyond this epoch, as far as their wishes have arrived. */
  lastPlausible(): number;
  /** The latest epoch that an honest oracle is known to wish for, or the own one. */
  known(): number;
  /** How many others have sent their wish. */
  heardFrom(): number;
};

type Hooks = { enter(epoch: number, leads: boolean): void };

/** The pacemaker at work: timers, persistence before each broadcast, and the change of epochs. */
export function createEpochs(instance: Instance, scope: Scope, hooks: Hooks): Epochs {
  const { config, me, n, store, observer, quorums } = instance;
  const { deltaProgress, deltaInitial, deltaResend } = config.timing;
  let state = firstState(n);
  let mine: { epoch: number; reason: Reason } | null = null;
  const timers: Partial<Record<'progress' | 'initial' | 'resend', Cancel>> = {};

  const arm = (timer: keyof typeof timers, milliseconds: number, job: () => void | Promise<void>) => {
    timers[timer]?.();
    timers[timer] = scope.after(milliseconds, job);
  };
  const armProgress = () => arm('progress', deltaProgress, () => changeLeader('progress_timeout'));
  const broadcastWish = () => {
    instance.broadcast({ kind: 'wish', epoch: state.highestWish });
    arm('resend', deltaResend, broadcastWish);
  };

  /** On disk first: what is broadcast, and the epoch that is entered, must outlive a crash. */
  const apply = async (step: PacemakerStep) => {
    await store.writePacemaker(config.digest, step.state);
    state = step.state;
    if (step.wish !== null) broadcastWish();
    if (!step.entered) return;
    const { epoch } = state;
    const reason = mine && mine.epoch >= epoch ? mine.reason : 'joined';
    observer({ type: 'epoch_changed', epoch, leader: instance.leaderOf(epoch), reason });
    enter(true);
    await followResignation();
  };

  const enter = (leads: boolean) => {
    const leader = instance.leaderOf(state.epoch);
    timers.initial?.();
    armProgress();
    if (leader !== me) arm('initial', deltaInitial, () => changeLeader('initial_timeout'));
    hooks.enter(state.epoch, leads && leader === me);
  };

  /**
   * A leader that wishes itself for a later epoch leads this one no more. It ends its own term only: what is wished for then is the
   * next epoch, whatever the leader named.
   */
  const followResignation = async () => {
    const leader = instance.leaderOf(state.epoch);
    const hasResigned = (state.wishes[leader] ?? 0) > state.epoch;
    if (leader !== me && hasResigned && state.highestWish <= state.epoch) await changeLeader('resigned');
  };

  const changeLeader = async (reason: Reason) => {
    timers.progress?.();
    timers.initial?.();
    if (state.epoch === lastEpoch) throw new RangeError('there is no epoch after this one');
    const wish = Math.max(state.highestWish, state.epoch + 1);
    const before = mine;
    mine = { epoch: wish, reason };
    try {
      await apply(ownWish(state, me, wish, quorums));
    } catch (error) {
      mine = before;
      // As if the timer had not fired yet.
      arm('progress', deltaResend, () => changeLeader(reason));
      throw error;
    }
  };

  return {
    start: async (record) => {
      const restored = restoredState(record, n);
      state = restored ?? firstState(n);
      if (!restored) await store.writePacemaker(config.digest, state);
      const leader = instance.leaderOf(state.epoch);
      observer({ type: 'started', epoch: state.epoch, leader, restored: restored !== null });
      enter(restored === null);
      broadcastWish();
      // Its followers would ignore rounds that count from 1 again.
      if (restored && leader === me) await changeLeader('resigned');
      else await followResignation();
    },
    onWish: async (from, epoch) => {
      const step = onWish(state, me, from, epoch, quorums);
      if (!step) return 'duplicate';
      await apply(step);
      await followResignation();
      return 'ok';
    },
    progress: armProgress,
    heard: () => timers.initial?.(),
    changeLeader,
    resign: async () => {
      if (instance.leaderOf(state.epoch) === me && state.highestWish <= state.epoch) await changeLeader('resigned');
    },
    epoch: () => state.epoch,
    lastPlausible: () => plausibleEpoch(state, quorums),
    known: () => knownEpoch(state, quorums),
    heardFrom: () => state.wishes.filter((wish, from) => from !== me && wish > 0).length,
  };
}
