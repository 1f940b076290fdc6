import { evaluate, explainUnknown, type Outcome } from './evaluate.ts';
import { contextOf, type Program, rewardLimit, takesFrom } from './program.ts';
import { compare, floor, parseRational } from './rational.ts';
import { type Explanation, explainRule, type Show, showOutcome } from './rule.ts';
import { lookupIn, type StrategySnapshot } from './snapshot.ts';

/** What a strategy makes of one block. Amounts in base units; `amount` is null when nothing would be done. */
export type Decision = {
  block_number: number;
  rule: Explanation;
  indicators: { alias: string; value: string | null; because: string | null }[];
  score: { value: string | null; enough: boolean; because: string | null };
  size: { value: string | null; amount: string | null; limited_by: string | null; because: string | null };
};

const numberOf = (outcome: Outcome) =>
  outcome.known && typeof outcome.value !== 'boolean' ? outcome.value : undefined;
const reasonOf = (outcome: Outcome): string | null => (outcome.known ? null : explainUnknown(outcome.why));
const shownOf = (outcome: Outcome): string | null => (outcome.known ? showOutcome(outcome) : null);

type Limit = { name: string; most: bigint | undefined };

/** What there is to use, and what the risk limits allow. A limit that has no value allows nothing. */
function limitsOf({ definition }: Program, lookup: (name: string) => Outcome): Limit[] {
  const { action_config, risk_params } = definition;
  const held = (name: string): bigint | undefined => {
    const value = numberOf(lookup(name));
    return value && floor(value);
  };
  const limits: Limit[] = [];
  if (action_config.action === 'DEPOSIT') {
    const free = held('vault_free_assets');
    limits.push({ name: 'vault_free_assets', most: free });
    const kept = risk_params.min_free_assets;
    if (kept !== null)
      limits.push({ name: 'min_free_assets', most: free === undefined ? undefined : free - BigInt(kept) });
  }
  const source = takesFrom(action_config);
  if (source !== null) {
    const name = `ys_${source}_shares`;
    limits.push({ name, most: held(name) });
  }
  const reward = rewardLimit(action_config);
  if (reward !== null) limits.push({ name: reward, most: held(reward) });
  if (risk_params.max_amount !== null) limits.push({ name: 'max_amount', most: BigInt(risk_params.max_amount) });
  return limits;
}

function sizeOf(program: Program, outcome: Outcome, lookup: (name: string) => Outcome): Decision['size'] {
  const wanted = numberOf(outcome);
  if (!wanted) return { value: null, amount: null, limited_by: null, because: reasonOf(outcome) };
  const value = shownOf(outcome);
  let [amount, limited_by]: [bigint, string | null] = [floor(wanted), null];
  for (const { name, most } of limitsOf(program, lookup)) {
    if (most === undefined)
      return { value, amount: null, limited_by: name, because: `${name} has no value at this block.` };
    if (most < amount) [amount, limited_by] = [most, name];
  }
  if (amount > 0n) return { value, amount: `${amount}`, limited_by, because: null };
  const because = limited_by === null ? 'The size is not above 0.' : `${limited_by} leaves nothing.`;
  return { value, amount: null, limited_by, because };
}

/**
 * Evaluates a strategy at one block: the whole rule with reasons, score and size. Total, and pure.
 * @param show - How values stand in the reasons; by default in base units.
 */
export function decide(program: Program, snapshot: StrategySnapshot, show: Show = showOutcome): Decision {
  const lookup = lookupIn(snapshot);
  const context = contextOf(program, lookup);
  const rule = explainRule(program.rule, context, show);
  const conviction = program.definition.conviction_config;
  const score = program.score ? evaluate(program.score, context) : undefined;
  const least = conviction.mode === 'expr' ? parseRational(conviction.min_score) : undefined;
  const scored = score && numberOf(score);
  return {
    block_number: snapshot.block_number,
    rule,
    indicators: program.indicators.map(({ alias }) => {
      const outcome = context.lookup(alias);
      return { alias, value: shownOf(outcome), because: reasonOf(outcome) };
    }),
    score: score
      ? {
          value: shownOf(score),
          enough: scored !== undefined && least !== undefined && compare(scored, least) >= 0,
          because: reasonOf(score),
        }
      : { value: null, enough: true, because: null },
    size: sizeOf(program, evaluate(program.size, context), context.lookup),
  };
}

/** What a strategy remembers from block to block. */
export type StrategyRun = {
  /** For how many evaluations in a row it has wanted to fire. */
  readonly held_ticks: number;
  /** When it last fired, in Unix milliseconds of the block; null before the first time. */
  readonly fired_at_ms: number | null;
};
/** The run of a strategy that was never evaluated. */
export const newRun: StrategyRun = { held_ticks: 0, fired_at_ms: null };

/** What one evaluation may come to; all but `fired` propose nothing. */
export const tickOutcomes = [
  'fired',
  'rule_false',
  'no_value',
  'score_low',
  'not_held_long_enough',
  'size_zero',
  'cooldown',
  'max_concurrent',
] as const;
/** One of `tickOutcomes`. */
export type TickOutcome = (typeof tickOutcomes)[number];

/** One evaluation: its outcome, the reason as a sentence, and the run to keep for the next. */
export type Tick = { outcome: TickOutcome; because: string; decision: Decision; run: StrategyRun };

function wantOf({ rule, score, size }: Decision): { outcome: TickOutcome; because: string } | undefined {
  if (rule.result === null) return { outcome: 'no_value', because: firstUnknown(rule) };
  if (!rule.result) return { outcome: 'rule_false', because: rule.because };
  if (score.because !== null) return { outcome: 'no_value', because: score.because };
  if (!score.enough) return { outcome: 'score_low', because: `The score is ${score.value}.` };
  if (size.amount !== null) return undefined;
  const isOpen = size.value === null || size.because?.includes('has no value') === true;
  return { outcome: isOpen ? 'no_value' : 'size_zero', because: size.because ?? '' };
}

/** The condition that left a rule open. */
function firstUnknown(rule: Explanation): string {
  const child = rule.children?.find(({ result }) => result === null);
  return child ? firstUnknown(child) : rule.because;
}

/**
 * One evaluation after another: whether the strategy fires at this block. The same for the live engine and for simulations.
 * @param active - Intents of this strategy that are not finished.
 */
export function tick(
  program: Program,
  run: StrategyRun,
  snapshot: StrategySnapshot,
  active: number,
  show: Show = showOutcome,
): Tick {
  const decision = decide(program, snapshot, show);
  const refused = wantOf(decision);
  if (refused) return { ...refused, decision, run: { ...run, held_ticks: 0 } };
  const { conviction_config, cooldown_ms, max_concurrent } = program.definition;
  const held: StrategyRun = { ...run, held_ticks: Math.min(run.held_ticks + 1, conviction_config.required_ticks) };
  const waits = (outcome: TickOutcome, because: string): Tick => ({ outcome, because, decision, run: held });
  if (held.held_ticks < conviction_config.required_ticks)
    return waits('not_held_long_enough', `Held ${held.held_ticks} of ${conviction_config.required_ticks} times.`);
  const now = snapshot.block_time * 1000;
  if (run.fired_at_ms !== null && now < run.fired_at_ms + cooldown_ms)
    return waits(
      'cooldown',
      `It fired ${(now - run.fired_at_ms) / 1000} s ago; the cooldown is ${cooldown_ms / 1000} s.`,
    );
  if (active >= max_concurrent) return waits('max_concurrent', `${active} of its intents are not finished.`);
  return { outcome: 'fired', because: decision.rule.because, decision, run: { held_ticks: 0, fired_at_ms: now } };
}
