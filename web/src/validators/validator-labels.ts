import type { Tone } from '../design/pill.tsx';
import { formatCount } from '../format/figures.ts';
import type { ListedRound, NetworkNode, Pricing, Transmission } from './network.ts';

type Said = { tone: Tone; word: string; meaning: string };

export const nodeStatus: Record<NetworkNode['status'], Said> = {
  ok: { tone: 'ok', word: 'Answering', meaning: 'It takes part in the rounds.' },
  silent: { tone: 'critical', word: 'Silent', meaning: 'The last rounds went on without it.' },
  unknown: { tone: 'plain', word: 'No report yet', meaning: 'It has not reported anything so far.' },
};

export const sentStatus: Record<Transmission['status'], Said> = {
  success: { tone: 'ok', word: 'Stored', meaning: 'The chain stored the price.' },
  failure: { tone: 'critical', word: 'Refused', meaning: 'The chain did not store the price.' },
  error: { tone: 'critical', word: 'Lost', meaning: 'The transaction never reached a block.' },
  superseded: { tone: 'plain', word: 'Not needed', meaning: 'Another node stored the same price first.' },
  skipped: { tone: 'plain', word: 'Not sent', meaning: 'The node saw no need to send it.' },
};

/** Reasons that nodes and contracts give, as a reader understands them. */
const reasons: Record<string, string> = {
  nonce_used: 'This price or a newer one was stored already.',
  deadline: 'It took too long and the price became too old.',
  useless: 'A newer price was stored before it was sent.',
  stuck: 'The transaction found no place in a block in time.',
  replaced: 'Another transaction of the node took its place.',
  reverted: 'The whole transaction failed.',
  not_mentioned: 'The transaction went through, but says nothing of this vault.',
  not_stored: 'The signatures were accepted, but the price was not stored.',
  InsufficientUpkeep: 'The upkeep balance does not pay for an update.',
  StrategyPaused: 'The vault is paused.',
  StrategyCheckFailed: 'The vault refused the price.',
};

/** Why a transmission ended as it did; a reason without words here is shown as it came. */
export const reasonWords = (reason: string): string => reasons[reason] ?? `Reason given: ${reason}`;

export function outcomeWords({ outcome, prices }: Pick<ListedRound, 'outcome' | 'prices'>): string {
  if (outcome === 'lost') return 'Never ended';
  if (outcome === 'skip') return 'No price due';
  return `${formatCount(prices.length)} ${prices.length === 1 ? 'price' : 'prices'} agreed`;
}

type Late = NonNullable<Pricing['next']['reason']>;

/** Why the next price is late, what that means and what to do. */
export const lateWords: Record<Late, { why: string; what: string }> = {
  paused: {
    why: 'the vault is paused',
    what: 'A paused vault accepts no price. Prices come again after the primary manager unpauses it.',
  },
  unfunded: {
    why: 'the upkeep balance is too low',
    what: 'Each price is paid from the upkeep balance. Deposit upkeep, and the next round brings a price.',
  },
  no_rounds: {
    why: 'the nodes finish no round',
    what: 'The nodes answer, but have not agreed on anything lately. Their operators have to look into it.',
  },
  too_few_observers: {
    why: 'too few nodes answer',
    what: 'Too few nodes read the chain for a price to be agreed. The operators of the silent ones have to act.',
  },
  too_few_signers: {
    why: 'too few nodes sign',
    what: 'A price counts only with enough signatures. The operators of the silent nodes have to act.',
  },
  transmission_fails: {
    why: 'it was agreed on, but did not get onto the chain',
    what: 'The nodes agree; storing the price fails. The list below says why.',
  },
  not_reported: {
    why: 'the last rounds had no price of this vault',
    what: 'The nodes finish their rounds without this vault: they may be unable to read its value.',
  },
};
