import type { RangeState } from '@castellan/chain';
import type { Hash } from 'viem';
import type { Block } from '../domain/block.ts';
import { EVERY_BLOCK_WITHIN, type RangeRead } from './read-range.ts';

/** What the indexer knows of one chain. Everything in it can be derived from the store at any time. */
export type IndexerState = {
  startBlock: bigint;
  /** The last block whose logs are all in the log; null before the first. */
  tip: Block | null;
  /**
   * Blocks above the tip with living entries, left by a crash between the entries and the tip. Their chain may be gone by
   * now: they are compared with the chain that is read over them, before anything is added to them.
   */
  loose: readonly Block[];
  /** Hashes of the newest blocks up to the tip. */
  recent: ReadonlyMap<bigint, Hash>;
  head: Block | null;
  range: RangeState;
};

export type IndexerEvent =
  | { type: 'polled'; head: Block }
  | { type: 'read'; answer: RangeRead }
  /** `newest`: the newest stored block asked about; `fork`: the newest of them that is still on the chain. */
  | { type: 'fork_sought'; newest: Block | null; fork: Block | null }
  | { type: 'stored'; end: Block; blocks: readonly Block[]; range: RangeState }
  | { type: 'rolled_back'; fork: Block | null }
  | { type: 'rested' }
  /** Another endpoint has logs of a final block that are not in the log. */
  | { type: 'logs_missing'; block: bigint };

export type IndexerEffect =
  | { type: 'poll' }
  | { type: 'read'; from: bigint; to: bigint; expectedParent: Hash | undefined; range: RangeState }
  | { type: 'seek_fork'; upTo: bigint }
  /** `isHead`: the range ends at the head, so state can be read there. */
  | { type: 'store'; answer: Extract<RangeRead, { kind: 'logs' }>; isHead: boolean }
  | { type: 'roll_back'; fromBlock: bigint; fork: Block | null; oldTip: Block }
  /** Takes back what is stored from a block on, to read it again. */
  | { type: 'read_again'; from: bigint; oldTip: Block }
  /** Nothing to index until the next poll. */
  | { type: 'rest'; tip: Block | null };

export type Planned = { state: IndexerState; effect: IndexerEffect };

/** As many hashes as are kept in memory; deeper forks are found among the stored blocks. */
const RECENT_BLOCKS = 256n;

/** What to do about the head as it is known. */
function towardsHead(state: IndexerState): Planned {
  const { head, tip, startBlock } = state;
  if (head === null) return { state, effect: { type: 'poll' } };
  if (tip !== null && head.number <= tip.number) {
    // The same block, or a node that lags behind: both are quiet. Unknown or different: ask the stored blocks.
    if (state.recent.get(head.number) === head.hash) return { state, effect: { type: 'rest', tip } };
    return { state, effect: { type: 'seek_fork', upTo: head.number } };
  }
  if (head.number < startBlock) return { state, effect: { type: 'rest', tip } };
  const from = tip === null ? startBlock : tip.number + 1n;
  // Over loose blocks every header must be known, to compare with.
  const size = state.loose.length > 0 ? Math.min(state.range.size, Number(EVERY_BLOCK_WITHIN)) : state.range.size;
  return {
    state,
    effect: { type: 'read', from, to: head.number, expectedParent: tip?.hash, range: { ...state.range, size } },
  };
}

/** Whether a range was read from another chain than the entries that lie in it already. */
function contradictsLoose(
  loose: readonly Block[],
  { from, end, blocks }: Extract<RangeRead, { kind: 'logs' }>,
): boolean {
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
  return loose.some(({ number, hash }) => number >= from && number <= end.number && hashes.get(number) !== hash);
}

function remember(recent: ReadonlyMap<bigint, Hash>, blocks: readonly Block[]): ReadonlyMap<bigint, Hash> {
  const next = new Map(recent);
  for (const { number, hash } of blocks) next.set(number, hash);
  const newest = blocks.at(-1)?.number ?? 0n;
  for (const number of next.keys()) if (number + RECENT_BLOCKS < newest) next.delete(number);
  return next;
}

function afterForkSearch(state: IndexerState, { newest, fork }: { newest: Block | null; fork: Block | null }): Planned {
  const oldTip = state.tip;
  // Nothing was indexed that far, or all of it still stands: a node behind its peers, not a fork.
  if (oldTip === null || newest === null || newest.hash === fork?.hash)
    return { state, effect: { type: 'rest', tip: state.tip } };
  const fromBlock = fork === null ? state.startBlock : fork.number + 1n;
  return { state, effect: { type: 'roll_back', fromBlock, fork, oldTip } };
}

/**
 * The next step of one chain's indexing, as a pure function: no clock, no network, no store.
 *
 * Poll the head; read the next range after the tip; store it and move the tip; when the head or a parent contradicts what is
 * stored, seek the newest stored block that still stands, roll back to it and poll again. A step that fails is not an event:
 * the caller loads the state from the store again and polls.
 */
export function plan(state: IndexerState, event: IndexerEvent): Planned {
  switch (event.type) {
    case 'polled':
      return towardsHead({ ...state, head: event.head });
    case 'read': {
      const { answer } = event;
      if (answer.kind === 'reorg') return { state, effect: { type: 'seek_fork', upTo: state.tip?.number ?? 0n } };
      const stray = state.loose.at(-1);
      if (stray && contradictsLoose(state.loose, answer))
        return { state, effect: { type: 'roll_back', fromBlock: answer.from, fork: state.tip, oldTip: stray } };
      return { state, effect: { type: 'store', answer, isHead: answer.end.number >= (state.head?.number ?? 0n) } };
    }
    case 'fork_sought':
      return afterForkSearch(state, event);
    case 'stored':
      return towardsHead({
        ...state,
        tip: event.end,
        loose: state.loose.filter(({ number }) => number > event.end.number),
        range: event.range,
        recent: remember(state.recent, event.blocks),
      });
    case 'rolled_back': {
      const last = event.fork?.number ?? -1n;
      const recent = new Map([...state.recent].filter(([number]) => number <= last));
      return { state: { ...state, tip: event.fork, loose: [], recent }, effect: { type: 'poll' } };
    }
    case 'logs_missing':
      return state.tip === null
        ? { state, effect: { type: 'poll' } }
        : { state, effect: { type: 'read_again', from: event.block, oldTip: state.tip } };
    case 'rested':
      return { state, effect: { type: 'poll' } };
  }
}
