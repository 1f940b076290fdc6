import { type Asked, checksum, envelope, observed, power } from './answer-parts.ts';
import type { ChainRecord } from './chain-record.ts';
import { unruled } from './coverage.ts';
import { holdersAt } from './holders.ts';
import { assetPrices, dollarsOf } from './money.ts';
import { lastAt, ratio, sum } from './numbers.ts';
import { observationsOf } from './prices.ts';
import type { State } from './state.ts';
import { ranked, worthOf } from './top-holders.ts';

type Asking = { kind: string; size: number; target: string };

const MILLION = 1_000_000n;

/** `loss:0.2:all,run:5` as it is asked. */
const asksOf = (text: string): Asking[] =>
  text.split(',').map((part) => {
    const [kind = '', size = '', target = ''] = part.split(':');
    return { kind, size: Number(size), target };
  });

const allOf = ({ idle, positions }: State): bigint => idle + sum(positions.map(({ assets }) => assets));

/** Which sources a shock is about: of a loss the largest, the first of the list among equals, or all of them, also those that hold nothing. */
function hitBy(state: State, { kind, target }: Asking): boolean[] {
  const largest = state.positions.reduce<bigint>((most, { assets }) => (assets > most ? assets : most), -1n);
  const first = state.positions.findIndex(({ assets }) => assets === largest);
  return state.positions.map((_, at) => kind === 'loss' && (target === 'all' || at === first));
}

/** Seconds until the last price can no longer be used. */
function usableFor(record: ChainRecord, state: State): bigint {
  const last = lastAt(observationsOf(record), record.time);
  const left = last ? last.time + state.expiration - record.time : 0n;
  return left > 0n ? left : 0n;
}

function scenarioOf({ record }: Asked, state: State, ask: Asking, leaving: number) {
  const isHit = hitBy(state, ask);
  const part = BigInt(Math.round(ask.size * 1e6));
  const losses = state.positions.map(({ assets }, at) => (isHit[at] ? (assets * part) / MILLION : 0n));
  const loss = sum(losses);
  const whole = allOf(state);
  const left = state.positions.map(({ assets, payable }, at) => {
    const rest = assets - (losses[at] as bigint);
    return payable < rest ? payable : rest;
  });
  const isStopped = ask.kind === 'oracle_stop' && usableFor(record, state) <= BigInt(ask.size * 3_600);
  const payable = isStopped ? 0n : state.idle + sum(left);
  let rest = payable;
  const holders = ranked(record)
    .slice(0, ask.kind === 'run' ? ask.size : leaving)
    .map(({ who, shares }) => {
      const asked = worthOf(record, shares);
      const lost = whole ? (asked * loss) / whole : 0n;
      const paid = asked - lost < rest ? asked - lost : rest;
      rest -= paid;
      return { who, asked, lost, paid, waiting: asked - lost - paid };
    });
  const total = (field: 'asked' | 'lost' | 'paid' | 'waiting') => `${sum(holders.map((each) => each[field]))}`;
  const price = lastAt(assetPrices(record), record.time)?.value;
  const inPrice =
    ask.kind === 'depeg' ? (price ? power(dollarsOf(record, whole * price) * ask.size) : null) : undefined;
  return {
    kind: ask.kind,
    size: ask.size,
    targets: state.positions.filter((_, at) => isHit[at]).map(({ source }) => checksum(source)),
    loss_assets: `${loss}`,
    loss_usd: inPrice === undefined ? (price ? dollarsOf(record, loss * price) : null) : inPrice,
    loss_share: whole ? ratio(loss, whole) : null,
    payable: `${payable}`,
    asked: total('asked'),
    lost: total('lost'),
    paid: total('paid'),
    waiting: total('waiting'),
    wallets_waiting: holders.filter(({ waiting }) => waiting > 0n).length,
    holders: holders.map(({ who, asked, lost, paid, waiting }) => ({
      wallet_address: checksum(who),
      asked: `${asked}`,
      lost: `${lost}`,
      paid: `${paid}`,
      waiting: `${waiting}`,
    })),
    ...(ask.kind === 'oracle_stop' ? { blocked_in_seconds: Number(usableFor(record, state)) } : {}),
    ...(ask.kind === 'gas' ? { runway_seconds: unruled, extra_gas_usd_per_year: unruled } : {}),
  };
}

/** Named shocks at the block: each holder's part of a loss, then the largest first, from what is left. */
export function scenarios(asked: Asked) {
  const { record, query } = asked;
  const leaving = Math.min(Number(query.top_holders), holdersAt(record, record.time).length);
  const shocks = String(query.shocks);
  return {
    ...envelope(asked),
    shocks,
    top_holders: leaving,
    total_assets: observed(asked, (state) => `${allOf(state)}`),
    scenarios: observed(asked, (state) => asksOf(shocks).map((ask) => scenarioOf(asked, state, ask, leaving)), unruled),
    exposure: unruled,
  };
}
