import type { Vault } from '../data/queries.ts';
import { formatSignedBps } from '../format/figures.ts';
import { formatDuration, formatUtc } from '../format/time.ts';

export type Concern = {
  id: string;
  tone: 'critical' | 'warn' | 'info';
  /** What is so. */
  title: string;
  /** What it means or what to do. */
  detail: string;
  /** The section of the vault's page that shows it. */
  section: string;
};

const WEEK = 7 * 86_400;

type Rule = (vault: Vault) => Omit<Concern, 'id'> | undefined;

/** Each rule looks at one danger. A pending change of the primary manager has a notice of its own. */
const rules: Readonly<Record<string, Rule>> = {
  paused: ({ is_paused: isPaused, pause }) =>
    isPaused
      ? {
          tone: 'critical',
          title: 'Paused',
          detail: `${pause?.since ? `Since ${formatUtc(pause.since)}. ` : ''}Deposits and price updates are refused until a manager unpauses it.`,
          section: 'overview',
        }
      : undefined,
  veto: ({ merkle }) =>
    merkle.veto.global || merkle.veto.strategy
      ? {
          tone: 'critical',
          title: 'Strategy vetoed',
          detail: 'A veto stands against its strategy root. Calls that need a proof are refused.',
          section: 'managers',
        }
      : undefined,
  price: (vault) => {
    const { operational_state: state, pps_status: status, is_paused: isPaused } = vault;
    if (isPaused) return undefined;
    if (status === 'expired' || state === 'stale') {
      return {
        tone: 'critical',
        title: 'Price expired',
        detail:
          vault.last_oracle_update_timestamp === null
            ? 'No validator has reported yet. Deposits are refused until one does.'
            : `Validators last reported ${formatUtc(vault.last_oracle_update_timestamp)}. Deposits are refused until they do again.`,
        section: 'pricing',
      };
    }
    if (state === 'awaiting_price') {
      return {
        tone: 'warn',
        title: 'Waiting for a price',
        detail: 'The next report ends this. Deposits are refused until then.',
        section: 'pricing',
      };
    }
    return status === 'critical'
      ? {
          tone: 'warn',
          title: 'Price nearly expired',
          detail: `Without a report it expires ${formatDuration(vault.remaining_staleness_time)} after the last reading.`,
          section: 'pricing',
        }
      : undefined;
  },
  guard: ({ divergence_bps: divergence, pps_config: { deviation_threshold_bps: threshold } }) =>
    divergence !== null && threshold !== null && Math.abs(divergence) > threshold
      ? {
          tone: 'critical',
          title: 'The next price would pause the vault',
          detail: `The calculated price is ${formatSignedBps(divergence)} from the current one, beyond the guard of ${threshold} bps.`,
          section: 'pricing',
        }
      : undefined,
  upkeep: ({ upkeep_info: upkeep }) => {
    if (!upkeep.enabled) return undefined;
    if (upkeep.threshold.shortfall !== '0') {
      return {
        tone: 'critical',
        title: 'Upkeep is used up',
        detail: 'The balance does not pay for one price update. Top it up, or the price expires.',
        section: 'fees',
      };
    }
    return upkeep.runway_seconds !== null && upkeep.runway_seconds < WEEK
      ? {
          tone: 'warn',
          title: `Upkeep lasts ${formatDuration(upkeep.runway_seconds)}`,
          detail: 'At the cadence of the last days. Without it no price is updated.',
          section: 'fees',
        }
      : undefined;
  },
  fees: ({ pending_fee_config: pending }) =>
    pending === null
      ? undefined
      : {
          tone: 'info',
          title: 'A fee change waits',
          detail: `It can take effect from ${formatUtc(pending.effective_at)}.`,
          section: 'fees',
        },
  withdrawal: ({ withdrawal_status: pending }) =>
    pending === null
      ? undefined
      : {
          tone: 'info',
          title: 'A withdrawal of upkeep waits',
          detail: `It can be executed from ${formatUtc(pending.effective_at)}.`,
          section: 'fees',
        },
};

const order = ['critical', 'warn', 'info'] as const;

/** What must not be overlooked about a vault, the worst first. */
export const concernsOf = (vault: Vault): Concern[] =>
  Object.entries(rules)
    .flatMap(([id, rule]) => {
      const found = rule(vault);
      return found === undefined ? [] : [{ id, ...found }];
    })
    .sort((left, right) => order.indexOf(left.tone) - order.indexOf(right.tone));
