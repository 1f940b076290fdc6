import type { PromiseState, VaultSection } from '@castellan/contracts';
import type { Vault } from '../../data/queries.ts';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { formatBpsShare, formatCount, formatCounted } from '../../format/figures.ts';
import { formatDuration } from '../../format/time.ts';
import { runwayText, SOON_SECONDS, worstText } from '../fees/runway.ts';
import { assetsText } from '../money.ts';

/** From the best to the worst; `unknown` is no verdict. */
export const verdicts = ['unknown', 'good', 'watch', 'bad'] as const;
export type Verdict = (typeof verdicts)[number];

/** One answer to "is it all right?": what was found, and where its proof is. */
export type Check = {
  name: string;
  verdict: Verdict;
  text: string;
  proof: VaultSection | 'alerts' | 'mandate';
  /** Its answer has not come yet. */
  isWaiting?: true;
};

type Run = AnalyticsResult<'analyticsRun'>;
type Mandated = { state: PromiseState | null; promises: readonly { state: PromiseState }[] };
type AlertCount = Record<'critical' | 'warning' | 'info', number> & { acknowledged?: number | undefined };

/** What is asked for and not there: not yet, or not at all. */
export type NotRead = 'being read' | 'failed';

export type HealthInput = {
  vault: Vault;
  /** The three largest holders ask for everything. */
  run: Run | NotRead;
  /** How many alerts of the vault are active or acknowledged; undefined for those who may not read them. */
  alerts: AlertCount | NotRead | undefined;
  /** The mandate in force; undefined for those who are not asked about it, or without one. */
  mandate: Mandated | NotRead | undefined;
  /** The chain's time in milliseconds. */
  now: number;
};

/** What a curator looks at first, in the order of the page. Everything is of now. */
export const healthOf = (input: HealthInput): Check[] => [
  priceAge(input),
  guards(input),
  liquidity(input),
  upkeep(input),
  ...mandate(input),
  ...alerts(input),
  ...proposals(input),
];

const notRead = (what: string, state: NotRead): Pick<Check, 'verdict' | 'text' | 'isWaiting'> =>
  state === 'failed'
    ? { verdict: 'unknown', text: `${what} could not be read` }
    : { verdict: 'unknown', text: `${what} being read`, isWaiting: true };

export const worstOf = (checks: readonly Check[]): Verdict =>
  verdicts[Math.max(0, ...checks.map(({ verdict }) => verdicts.indexOf(verdict)))] ?? 'unknown';

const ageVerdict = { fresh: 'good', ageing: 'watch', critical: 'bad', expired: 'bad' } as const;

function priceAge({ vault, now }: HealthInput): Check {
  const check = { name: 'Price', proof: 'pricing' } as const;
  const reported = vault.last_oracle_update_timestamp;
  if (vault.is_paused) return { ...check, verdict: 'bad', text: 'Paused: no price is taken' };
  if (reported === null) return { ...check, verdict: 'watch', text: 'No price yet' };
  const remaining = vault.remaining_staleness_time - (now - Date.parse(vault.chain_time)) / 1_000;
  const verdict = remaining <= 0 ? 'bad' : ageVerdict[vault.pps_status];
  return { ...check, verdict, text: `Price ${formatDuration((now - Date.parse(reported)) / 1_000)} old` };
}

function guards({ vault }: HealthInput): Check {
  const check = { name: 'Guards', proof: 'pricing' } as const;
  const { deviation_threshold_bps: threshold } = vault.pps_config;
  if (threshold === null) return { ...check, verdict: 'watch', text: 'Deviation guard is off' };
  // A source could not be valued, or one of the two prices is missing: that is no deviation of 0.
  if (vault.divergence_bps === null) return { ...check, verdict: 'unknown', text: 'Deviation not known' };
  const off = Math.abs(vault.divergence_bps);
  const of = (bps: number) => `${formatBpsShare(bps)} of ${formatBpsShare(threshold)}`;
  if (off > threshold) return { ...check, verdict: 'bad', text: `Next price would pause the vault: ${of(off)}` };
  return { ...check, verdict: off > threshold / 2 ? 'watch' : 'good', text: `Deviation ${of(Math.round(off))}` };
}

function liquidity({ vault, run }: HealthInput): Check {
  const check = { name: 'Liquidity', proof: 'risk' } as const;
  if (typeof run === 'string') return { ...check, ...notRead('Liquidity', run) };
  if (run.paid_now === null || run.shortfall === null)
    return { ...check, verdict: 'unknown', text: 'Liquidity not known' };
  if (run.shortfall !== '0') {
    const text = `${assetsText(vault, run.shortfall)} short if the 3 largest leave in ${formatDuration(run.hours * 3_600)}`;
    return { ...check, verdict: 'bad', text };
  }
  const isAtOnce = BigInt(run.paid_now) >= BigInt(run.demand);
  const when = isAtOnce ? 'at once' : `within ${formatDuration(run.hours * 3_600)}`;
  return { ...check, verdict: 'good', text: `The 3 largest could leave ${when}` };
}

function upkeep({ vault }: HealthInput): Check {
  const check = { name: 'Upkeep', proof: 'fees' } as const;
  const { enabled, threshold, runway_seconds: runway, runway_worst_case_seconds: worst } = vault.upkeep_info;
  if (!enabled) return { ...check, verdict: 'good', text: 'No upkeep is charged' };
  if (threshold.shortfall !== '0') return { ...check, verdict: 'bad', text: 'Upkeep is below what a price costs' };
  if (runway === null) return { ...check, verdict: 'unknown', text: 'Upkeep runway not known yet' };
  return {
    ...check,
    verdict: runway < SOON_SECONDS ? 'watch' : 'good',
    text: [`Upkeep for ${runwayText(runway).toLowerCase()}`, worstText(runway, worst)?.toLowerCase()]
      .filter((part) => part !== undefined)
      .join(', '),
  };
}

const mandateVerdict = { held: 'good', warned: 'watch', broken: 'bad', unknown: 'unknown' } as const;

function mandate({ mandate: read }: HealthInput): Check[] {
  if (read === undefined) return [];
  const check = { name: 'Mandate', proof: 'mandate' as const };
  if (typeof read === 'string') return [{ ...check, ...notRead('Mandate', read) }];
  const { state, promises } = read;
  if (state === null) return [];
  const count = promises.filter((promise) => promise.state === state).length;
  const texts = {
    held: 'Mandate is held',
    warned: `${formatCounted(count, 'promise')} near the limit`,
    broken: `${formatCounted(count, 'promise')} broken`,
    unknown: `${formatCounted(count, 'promise')} not known`,
  };
  return [{ ...check, verdict: mandateVerdict[state], text: texts[state] }];
}

function alerts({ alerts: read }: HealthInput): Check[] {
  if (read === undefined) return [];
  const check = { name: 'Alerts', proof: 'alerts' } as const;
  if (typeof read === 'string') return [{ ...check, ...notRead('Alerts', read) }];
  const { critical, warning, info, acknowledged = 0 } = read;
  const count = critical + warning + info;
  // Acknowledged or not, its condition still holds.
  if (count === 0 && acknowledged > 0)
    return [{ ...check, verdict: 'watch', text: `${formatCounted(acknowledged, 'alert')} acknowledged` }];
  if (count === 0) return [{ ...check, verdict: 'good', text: 'No active alert' }];
  const more = acknowledged === 0 ? '' : `, ${formatCount(acknowledged)} acknowledged`;
  return [
    { ...check, verdict: critical > 0 ? 'bad' : 'watch', text: `${formatCounted(count, 'active alert')}${more}` },
  ];
}

/** What takes effect by itself unless somebody acts. */
function proposals({ vault, now }: HealthInput): Check[] {
  const when = (effectiveAt: string) => {
    const seconds = (Date.parse(effectiveAt) - now) / 1_000;
    return seconds > 0 ? `in ${formatDuration(seconds)}` : 'now';
  };
  const { pending_manager_change: manager, pending_fee_config: fees, withdrawal_status: withdrawal, merkle } = vault;
  const found: Check[] = [];
  if (manager !== null)
    found.push({
      name: 'Primary manager',
      verdict: 'bad',
      text: `New primary manager ${when(manager.effective_at)}`,
      proof: 'managers',
    });
  if (fees !== null)
    found.push({ name: 'Fees', verdict: 'watch', text: `New fees ${when(fees.effective_at)}`, proof: 'fees' });
  if (merkle.proposed_root !== null)
    found.push({
      name: 'Hooks',
      verdict: 'watch',
      text: merkle.effective_at === null ? 'New hooks tree is proposed' : `New hooks tree ${when(merkle.effective_at)}`,
      proof: 'managers',
    });
  if (withdrawal !== null)
    found.push({
      name: 'Upkeep withdrawal',
      verdict: 'watch',
      text: `Upkeep can be withdrawn ${when(withdrawal.effective_at)}`,
      proof: 'fees',
    });
  return found.length > 0
    ? found
    : [{ name: 'Proposals', verdict: 'good', text: 'Nothing is proposed', proof: 'managers' }];
}
