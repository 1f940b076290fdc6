import type { MetricValue, OwnRuleId } from '@castellan/contracts';
import type {
  FactEvent,
  JournalItem,
  Measured,
  Observed,
  OwnRuleSet,
  Proposal,
  Sample,
  Settings,
  SignalKind,
} from '../../journal/domain/journal.ts';
import { readingsOfAll } from './readings.ts';
import { type StaleNode, withWordOf } from './stale-nodes.ts';

const DAY = 86_400;

/** Everything that rules judge, as known at one moment. */
export type Facts = {
  readonly name: string;
  readonly block: number | null;
  readonly createdAt: number | null;
  readonly state: Observed | null;
  readonly pausedSince: number | null;
  /** Since the last pause ended, or since creation: no price was reported yet. */
  readonly awaitingSince: number | null;
  readonly refusal: { readonly reason: string; readonly since: number } | null;
  /** Since the price of 1.0 of the vault's creation: its signed time. */
  readonly pricedSince: number | null;
  /** Signed times of the price updates of the last 24 hours, ascending. */
  readonly reports: readonly number[];
  /** When the least interval between two updates last changed. */
  readonly intervalChangedAt: number | null;
  /** The block that the last observation was read at: moves up to it are in its upkeep balance. */
  readonly observedBlock: number | null;
  /** Redemptions that wait, by controller, and since when. */
  readonly requests: ReadonlyMap<string, number>;
  readonly proposals: ReadonlyMap<Proposal, { readonly detail: string; readonly effectiveAt: number }>;
  readonly vetoes: ReadonlySet<'strategy' | 'global'>;
  /** What fails, by kind and subject. */
  readonly failing: ReadonlyMap<
    string,
    { readonly kind: SignalKind; readonly subject: string; readonly detail: string }
  >;
  /** Validators that said last that they wait for a price of this vault, whether or not they are members now: see `staleMembers`. */
  readonly staleNodes: ReadonlyMap<string, StaleNode>;
  readonly sample: Sample;
  readonly settings: ReadonlyMap<string, Settings>;
  readonly ownRules: ReadonlyMap<OwnRuleId, OwnRuleSet>;
  /** Figures of the last observation that was measured for own rules; of one that had none then, what it was before. */
  readonly measured: {
    readonly block: number;
    readonly at: number;
    readonly values: ReadonlyMap<string, MetricValue>;
    /** What was read of it, also where there was no value. */
    readonly keys: ReadonlySet<string>;
  } | null;
};

/** What is known before the first item of the journal. */
export const noFacts: Facts = {
  name: '',
  block: null,
  createdAt: null,
  state: null,
  pausedSince: null,
  awaitingSince: null,
  refusal: null,
  pricedSince: null,
  reports: [],
  intervalChangedAt: null,
  observedBlock: null,
  requests: new Map(),
  proposals: new Map(),
  vetoes: new Set(),
  failing: new Map(),
  staleNodes: new Map(),
  sample: {},
  settings: new Map(),
  ownRules: new Map(),
  measured: null,
};

const put = <K, V>(map: ReadonlyMap<K, V>, key: K, value: V | undefined): ReadonlyMap<K, V> => {
  const copy = new Map(map);
  if (value === undefined) copy.delete(key);
  else copy.set(key, value);
  return copy;
};

function observed(facts: Facts, seen: Observed, time: number): Facts {
  // The log of pauses may begin after the first of them.
  const pausedSince = seen.is_paused ? (facts.pausedSince ?? time) : null;
  return { ...facts, state: seen, pausedSince, observedBlock: facts.block };
}

function patched(state: Observed | null, patch: Partial<Observed>): Observed | null {
  return state && { ...state, ...patch };
}

/** A report of the oracle; the first price of all is that of the vault's creation and no report. */
function reported(facts: Facts, timestamp: number): Facts {
  const isFirst = facts.pricedSince === null;
  return {
    ...facts,
    awaitingSince: null,
    refusal: null,
    state: patched(facts.state, { last_update: timestamp, is_stale: false }),
    pricedSince: facts.pricedSince ?? timestamp,
    reports: isFirst ? [] : [...facts.reports.filter((time) => time > timestamp - DAY), timestamp],
  };
}

/** The upkeep balance after a move. What an observation of the same block read has the move in it. */
function withUpkeep(facts: Facts, move: (balance: bigint) => bigint): Facts {
  const { block, observedBlock, state } = facts;
  if (state === null || (block !== null && observedBlock !== null && block <= observedBlock)) return facts;
  const balance = move(BigInt(state.upkeep_balance));
  return { ...facts, state: { ...state, upkeep_balance: `${balance < 0n ? 0n : balance}` } };
}

/** A figure that was not read any more has no value; one that could not be computed keeps its last. */
function measured(facts: Facts, { block, at, values }: Measured): Facts {
  const known = new Map<string, MetricValue>();
  for (const [key, value] of Object.entries(values)) {
    const kept = value ?? facts.measured?.values.get(key);
    if (kept !== undefined) known.set(key, kept);
  }
  return { ...facts, measured: { block, at, values: known, keys: new Set(Object.keys(values)) } };
}

/**
 * What no rule that was switched on needed until now may have been read long ago: it is forgotten before a rule can be judged by it,
 * so that the rule begins with the last observation and not where the reading had stopped.
 */
function ruled(facts: Facts, ownRules: Facts['ownRules']): Facts {
  if (facts.measured === null) return { ...facts, ownRules };
  const needed = readingsOfAll(facts.ownRules.values());
  const values = new Map([...facts.measured.values].filter(([key]) => needed.has(key)));
  const keys = new Set([...facts.measured.keys].filter((key) => needed.has(key)));
  return { ...facts, ownRules, measured: { ...facts.measured, values, keys } };
}

/** Facts after one event, known at `time`. */
export function apply(facts: Facts, event: FactEvent, time: number): Facts {
  switch (event.type) {
    case 'deployed':
      return { ...facts, name: event.name, createdAt: time };
    case 'observed':
      return observed(facts, event, time);
    case 'paused':
      return { ...facts, pausedSince: facts.pausedSince ?? time, state: patched(facts.state, { is_paused: true }) };
    case 'unpaused':
      return { ...facts, pausedSince: null, awaitingSince: time, state: patched(facts.state, { is_paused: false }) };
    case 'reported':
      return reported(facts, event.timestamp);
    case 'refused':
      return { ...facts, refusal: { reason: event.reason, since: facts.refusal?.since ?? time } };
    case 'interval_changed':
      return { ...facts, intervalChangedAt: time };
    case 'spent':
      // The event has the balance of before the payment.
      return withUpkeep(facts, () => BigInt(event.balance) - BigInt(event.amount));
    case 'deposited':
      return withUpkeep(facts, (balance) => balance + BigInt(event.amount));
    case 'withdrawn': {
      const left = withUpkeep(facts, (balance) => balance - BigInt(event.amount));
      return { ...left, proposals: put(facts.proposals, 'upkeep_withdrawal', undefined) };
    }
    case 'requested':
      return {
        ...facts,
        requests: put(facts.requests, event.controller, facts.requests.get(event.controller) ?? time),
      };
    case 'settled':
      return { ...facts, requests: put(facts.requests, event.controller, undefined) };
    case 'proposed': {
      const proposal = { detail: event.detail, effectiveAt: event.effective_at };
      return { ...facts, proposals: put(facts.proposals, event.what, proposal) };
    }
    case 'decided':
      return { ...facts, proposals: put(facts.proposals, event.what, undefined) };
    case 'veto': {
      const vetoes = new Set(facts.vetoes);
      if (event.on) vetoes.add(event.scope);
      else vetoes.delete(event.scope);
      return { ...facts, vetoes };
    }
    case 'signal': {
      const { kind, subject, detail } = event;
      return {
        ...facts,
        failing: put(facts.failing, `${kind}:${subject}`, event.failing ? { kind, subject, detail } : undefined),
      };
    }
    case 'node_price':
      return { ...facts, staleNodes: withWordOf(facts.staleNodes, event) };
    case 'sample': {
      const { type: _type, ...sample } = event;
      return { ...facts, sample: { ...facts.sample, ...sample } };
    }
    case 'settings':
      return { ...facts, settings: put(facts.settings, event.rule_id, event.settings) };
    case 'own_rule':
      return ruled(facts, put(facts.ownRules, event.rule_id, event.rule ?? undefined));
    case 'measured':
      return measured(facts, event);
    case 'rollback':
      throw new Error('A rollback is folded with the items before it.');
  }
}

/** Figures of an observation come after its block, and say nothing of how far the log is. */
const isOfLog = ({ block, events }: JournalItem): boolean =>
  block !== null && events.some(({ type }) => type !== 'measured');

function applyItem(facts: Facts, item: JournalItem): Facts {
  // What a vault learns of late, as a veto of before it was watched, does not set back how far it is; a rollback folds anew.
  const known = isOfLog(item) ? { ...facts, block: Math.max(facts.block ?? 0, item.block ?? 0) } : facts;
  return item.events.reduce((now, event) => apply(now, event, item.time), known);
}

const rollbackOf = ({ events }: JournalItem) => events.find((event) => event.type === 'rollback');

/**
 * Folds items as they come. A rollback removes the facts of its blocks, so the items before it are folded again.
 */
export class Fold {
  #facts = noFacts;
  readonly #living: JournalItem[] = [];
  readonly #keeps: boolean;

  /** @param keeps - false when no item given later can be a rollback, to save the memory. */
  constructor(keeps = true) {
    this.#keeps = keeps;
  }

  get facts(): Facts {
    return this.#facts;
  }

  add(item: JournalItem): Facts {
    const rollback = rollbackOf(item);
    if (rollback) {
      const living = this.#living.filter(({ block }) => block === null || block < rollback.from_block);
      this.#living.splice(0, this.#living.length, ...living);
      this.#facts = living.reduce(applyItem, noFacts);
      return this.#facts;
    }
    if (this.#keeps) this.#living.push(item);
    this.#facts = applyItem(this.#facts, item);
    return this.#facts;
  }
}
