import { parseUnits } from 'viem/utils';
import type { Api } from '../../client/api.ts';
import type { Vault } from '../../data/queries.ts';

export type SavedBody = Parameters<Api['saveSimulation']>[0]['body'];
export type Request = SavedBody['request'];
export type Result = Awaited<ReturnType<Api['backtest']>>;
export type Summary = Awaited<ReturnType<Api['listSimulations']>>['simulations'][number];
export type Saved = Awaited<ReturnType<Api['getSimulation']>>;

/** The form, as it is typed. Times are UTC as the browser's field gives them: `2026-11-20T14:05`. */
export type Form = {
  kind: 'backtest' | 'ahead';
  strategy_ids: readonly string[];
  from: string;
  to: string;
  slippage_bps: string;
  horizon_days: string;
  step_minutes: string;
  /** Whole tokens per day; negative: taken out. */
  net_deposits: string;
  /** Percent a year by source; nothing: as it is. */
  apys: Readonly<Record<string, string>>;
};

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const fieldOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

/** The last week, or since the vault began, up to the end of the present minute: what was just observed is in it. */
export function beginning({ chain_time, created_at }: Pick<Vault, 'chain_time' | 'created_at'>): Form {
  const end = Math.ceil(Date.parse(chain_time) / MINUTE_MS) * MINUTE_MS;
  return {
    kind: 'backtest',
    strategy_ids: [],
    from: fieldOf(Math.max(Date.parse(created_at), end - 7 * DAY_MS)),
    to: fieldOf(end),
    slippage_bps: '0',
    horizon_days: '30',
    step_minutes: '60',
    net_deposits: '0',
    apys: {},
  };
}

const isWhole = (text: string, least: number, most: number) =>
  /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most;
const isDecimal = (text: string) => /^-?\d+(\.\d+)?$/.test(text.trim());

/** More steps would be more points than any chart can show. */
const MOST_STEPS = 20_000;

/** What is wrong, by field. */
export function faultsOf(form: Form): Partial<Record<keyof Form | `apy:${string}`, string>> {
  const faults: Partial<Record<keyof Form | `apy:${string}`, string>> = {};
  if (form.strategy_ids.length === 0) faults.strategy_ids = 'Choose at least one strategy.';
  if (form.strategy_ids.length > 20) faults.strategy_ids = 'Twenty strategies at most.';
  if (!isWhole(form.slippage_bps, 0, 1_000)) faults.slippage_bps = 'A whole number from 0 to 1,000.';
  if (form.kind === 'backtest') {
    if (form.from === '') faults.from = 'Choose a beginning.';
    if (form.to === '') faults.to = 'Choose an end.';
    else if (form.from >= form.to) faults.to = 'The end must be after the beginning.';
    return faults;
  }
  if (!isWhole(form.horizon_days, 1, 90)) faults.horizon_days = 'A whole number from 1 to 90.';
  if (!isWhole(form.step_minutes, 1, 1_440)) faults.step_minutes = 'A whole number from 1 to 1,440.';
  else if ((Number(form.horizon_days) * 1_440) / Number(form.step_minutes) > MOST_STEPS)
    faults.step_minutes = 'Too fine for so long a time. Take longer steps.';
  if (!isDecimal(form.net_deposits)) faults.net_deposits = 'A number; negative for what is taken out.';
  for (const [address, text] of Object.entries(form.apys))
    if (text.trim() !== '' && !(isDecimal(text) && Number(text) >= -99 && Number(text) <= 1_000))
      faults[`apy:${address}`] = 'A percentage from −99 to 1,000, or nothing.';
  return faults;
}

/** The form as the API takes it. */
export function requestOf(form: Form, { asset }: Pick<Vault, 'asset'>): Request {
  const tried = { strategy_ids: [...form.strategy_ids], slippage_bps: Number(form.slippage_bps) };
  if (form.kind === 'backtest') return { kind: 'backtest', ...tried, from: `${form.from}:00Z`, to: `${form.to}:00Z` };
  return {
    kind: 'ahead',
    ...tried,
    horizon_seconds: Number(form.horizon_days) * 86_400,
    step_seconds: Number(form.step_minutes) * 60,
    net_deposits_per_day: String(parseUnits(form.net_deposits.trim(), asset.decimals)),
    apys: Object.entries(form.apys)
      .filter(([, text]) => text.trim() !== '')
      .map(([source_address, text]) => ({ source_address, apy: Number(text) / 100 })),
  };
}
