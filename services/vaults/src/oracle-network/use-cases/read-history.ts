import type { GetValidatorHistory, ParamsOf, ResultOf, ValidatorWindow } from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import { requireVault, type VaultSource } from '../../vault/use-cases/vault-view.ts';
import type { ReceiptReader } from '../adapters/receipts.rpc.ts';
import { HOUR_MS, type HourFacts } from '../domain/hour-facts.ts';
import { strategyKeyOf } from '../domain/keys.ts';
import { addHours, type NetworkHour, type NodeHour } from '../domain/network-hour.ts';
import { addSent, type SentHour } from '../domain/sent-hour.ts';
import { addSpans, measured, noSpans } from '../domain/spans.ts';
import { LOST_AFTER_MS } from '../domain/validator-network.ts';
import { ownIn, partIn, type VaultHour } from '../domain/vault-hour.ts';
import { ROUNDS_KEPT_DAYS } from '../models/validator-network.ts';
import { configurationsOf, foldStretch, type HistoryPorts, hourOf, pacesOf } from './keep-history.ts';
import { shownRound } from './read-validators.ts';

export type ReadHistoryPorts = HistoryPorts & VaultSource & { receipts: ReceiptReader };

type Answer = ResultOf<typeof GetValidatorHistory>;
type Asked = { key: string | undefined; strategy: string | undefined };

const DAY_MS = 24 * HOUR_MS;
const windows: Record<ValidatorWindow, { ms: number; bucketMs: number }> = {
  '24h': { ms: DAY_MS, bucketMs: HOUR_MS },
  '7d': { ms: 7 * DAY_MS, bucketMs: 6 * HOUR_MS },
  '30d': { ms: 30 * DAY_MS, bucketMs: DAY_MS },
  '90d': { ms: 90 * DAY_MS, bucketMs: DAY_MS },
};
const LISTED = 50;
/** Hours that are not added up yet: the one that goes on and the one before it. */
const OPEN_HOURS = 2;

type TimedHour = { at: number; hour: NetworkHour };

/** The hours that were added up, and those that were not yet. */
async function hoursOf(ports: ReadHistoryPorts, from: number, now: number): Promise<TimedHour[]> {
  const { history } = ports;
  const stored = await history.hours(new Date(from), new Date(now));
  const kept = new Map(stored.map((document) => [document.at.getTime(), document as NetworkHour]));
  const hours = [...kept].map(([at, hour]): TimedHour => ({ at, hour }));
  const last = await history.lastHour();
  const first = last === null ? await history.firstRound() : null;
  if (last === null && first === null) return hours;
  const open = Math.max(from, last === null ? hourOf(first?.getTime() ?? now) : last.getTime() + HOUR_MS);
  const newest = hourOf(now) - (OPEN_HOURS - 1) * HOUR_MS;
  for (let at = open; at <= now; at += HOUR_MS) {
    // A network that stood still for long left nothing between the hours after its last one and those of now.
    if (at >= open + OPEN_HOURS * HOUR_MS && at < newest) continue;
    const rows = await history.stretch(new Date(at), new Date(Math.min(at + HOUR_MS, now + 1)));
    hours.push({ at, hour: await foldStretch(ports, rows, { from: at, until: now - LOST_AFTER_MS }) });
  }
  return hours.sort((a, b) => a.at - b.at);
}

const shownSent = (all: readonly SentHour[]): Answer['vaults'][number]['sent'] =>
  all.map(({ gas, ...sent }) => ({ ...sent, gas_used: gas }));

/** What of an hour the question is about: all of it, the rounds that priced a vault, or one node's part in either. */
function partOf(hour: NetworkHour, { key, strategy }: Asked) {
  const vault = strategy === undefined ? undefined : hour.vaults.find((one) => one.key === strategy);
  const nodes = hour.nodes.filter((node) => key === undefined || node.key === key);
  const parts = nodes.map((node) => (strategy === undefined ? node : partIn(vault, node.key)));
  return { vault, nodes, parts };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** What was sent: by whom was asked for, with a price of the vault that was asked for; null where that was not recorded. */
function sentIn(vault: VaultHour | undefined, nodes: readonly NodeHour[], { key, strategy }: Asked): SentHour[] | null {
  if (strategy === undefined) return addSent(nodes.flatMap(({ sent }) => sent));
  // Senders whose node is not known are among those of a vault.
  return key === undefined ? (vault?.sent ?? []) : (ownIn(vault, key)?.sent ?? null);
}

function bucketOf(t: number, hour: NetworkHour, asked: Asked): Answer['buckets'][number] {
  const { vault, nodes, parts } = partOf(hour, asked);
  const isAll = asked.strategy === undefined;
  const vaults = isAll ? hour.vaults : vault ? [vault] : [];
  const sent = sentIn(vault, nodes, asked);
  return {
    t: new Date(t).toISOString(),
    rounds: isAll ? hour.rounds : (vault?.prices ?? 0),
    reports: isAll ? hour.reports : (vault?.prices ?? 0),
    lost: isAll ? hour.lost : null,
    observed: sum(parts.map(({ observed }) => observed)),
    possible: sum(parts.map(({ rounds }) => rounds)),
    late: isAll ? sum(nodes.map(({ late }) => late)) : (ownIn(vault, asked.key)?.late ?? null),
    round_ms: isAll ? measured(hour.round_ms) : vault ? measured(vault.round_ms) : null,
    lag_ms: isAll ? measured(nodes.map(({ lag_ms }) => lag_ms).reduce(addSpans, noSpans)) : null,
    spread_ppb: measured(vaults.map(({ spread_ppb }) => spread_ppb).reduce(addSpans, noSpans)),
    prices: sum(vaults.map(({ prices }) => prices)),
    sent: sent && shownSent(sent),
    balances: nodes.flatMap(({ signer, balances = [] }) =>
      balances.map(({ chain_id, balance }) => ({ signer_address: getAddress(signer), chain_id, balance })),
    ),
  };
}

/** Days that a balance lasts when as much is paid as over so long; null when nothing was paid. */
export function runwayDays(balance: bigint | null, fee: bigint, overMs: number): number | null {
  if (balance === null || fee <= 0n || overMs <= 0) return null;
  return Number((balance * BigInt(Math.round(overMs)) * 100n) / (fee * BigInt(DAY_MS))) / 100;
}

/** What a node sent, with what its account has; it pays for all vaults from that. */
async function paidBy(
  { receipts }: ReadHistoryPorts,
  { sent: all, transmitter }: NodeHour,
  sent: readonly SentHour[],
  overMs: number,
): Promise<Answer['nodes'][number]['sent']> {
  const shown = shownSent(sent).map(async (one) => {
    const balance = await receipts.balance(one.chain_id, transmitter);
    const fee = all.find(({ chain_id }) => chain_id === one.chain_id)?.fee ?? '0';
    const runway_days = runwayDays(balance, BigInt(fee), overMs);
    return { ...one, balance: balance === null ? null : String(balance), runway_days };
  });
  return Promise.all(shown);
}

async function recordOf(
  ports: ReadHistoryPorts,
  node: NodeHour,
  vault: VaultHour | undefined,
  { strategy, overMs }: { strategy: string | undefined; overMs: number },
): Promise<Answer['nodes'][number]> {
  const part = strategy === undefined ? node : partIn(vault, node.key);
  const own = strategy === undefined ? node : ownIn(vault, node.key);
  return {
    index: node.index,
    node_id: node.node_id,
    signer_address: getAddress(node.signer),
    transmitter_address: getAddress(node.transmitter),
    rounds: part.rounds,
    observed: part.observed,
    missed: part.rounds - part.observed,
    reports: strategy === undefined ? node.reports : part.rounds,
    signed: part.signed,
    led: node.led,
    late: own?.late ?? null,
    dropped: own?.dropped ?? null,
    lag_ms: measured(node.lag_ms),
    deviation_ppb: measured(node.deviation_ppb),
    sent: own && (await paidBy(ports, node, own.sent, overMs)),
  };
}

async function pricingOf({ snapshots }: ReadHistoryPorts, vault: VaultHour): Promise<Answer['vaults'][number]> {
  const [chain = '', strategy = ''] = vault.key.split(':');
  const snapshot = await snapshots.ofStrategy(Number(chain), strategy);
  const { prices, stored, refused, not_needed, late, longest_gap_ms: gap } = vault;
  return {
    chain_id: Number(chain),
    strategy_address: getAddress(strategy),
    vault_address: snapshot?.detail.vault_address ?? null,
    name: snapshot?.detail.name ?? null,
    ...{ prices, stored, refused, not_needed, late },
    observers: measured(vault.observers),
    signers: measured(vault.signers),
    spread_ppb: measured(vault.spread_ppb),
    delay_ms: measured(vault.delay_ms),
    longest_gap_seconds: gap === null ? null : Math.round(gap / 1_000),
    sent: shownSent(vault.sent),
  };
}

function bucketsOf(
  hours: readonly TimedHour[],
  from: number,
  to: number,
  bucketMs: number,
  paceOf: HourFacts['paceOf'],
) {
  const buckets: TimedHour[] = [];
  for (let at = from; at < to; at += bucketMs) {
    const within = hours.filter((one) => one.at >= at && one.at < at + bucketMs);
    if (within.length > 0)
      buckets.push({
        at,
        hour: addHours(
          within.map(({ hour }) => hour),
          paceOf,
        ),
      });
  }
  return buckets;
}

/** How the oracle network did over a window: of hours that were added up, and of the rounds since. */
export const getValidatorHistory =
  (ports: ReadHistoryPorts) =>
  async ({ window, signer, chain_id, vault_address }: ParamsOf<typeof GetValidatorHistory>): Promise<Answer> => {
    const { history } = ports;
    const now = ports.now();
    const { ms, bucketMs } = windows[window];
    const from = Math.ceil((now - ms) / bucketMs) * bucketMs;
    const vault =
      chain_id === undefined || vault_address === undefined
        ? undefined
        : (await requireVault(ports, chain_id, vault_address)).detail;
    const strategy = vault && strategyKeyOf(vault.chain_id, vault.strategy_address);
    const asked = { key: signer?.toLowerCase(), strategy };
    const hours = await hoursOf(ports, from, now);
    const { memberships, current } = await history.memberships();
    const keys = new Set(hours.flatMap(({ hour }) => hour.vaults.map(({ key }) => key)));
    const paceOf = await pacesOf(ports, current, [...keys]);
    const whole = addHours(
      hours.map(({ hour }) => hour),
      paceOf,
    );
    const first = (await history.firstHour())?.getTime() ?? hours.find(({ hour }) => hour.rounds > 0)?.at;
    const overMs = now - Math.max(from, first ?? now);
    const ofVault = whole.vaults.find(({ key }) => key === strategy);
    const nodes = whole.nodes.filter(({ key }) => asked.key === undefined || key === asked.key);
    const configurations = configurationsOf({ memberships, current });
    const ofNode = signer === undefined ? undefined : configurationsOf({ memberships, current }, signer);
    const newest = {
      from: new Date(from),
      to: new Date(now + 1),
      strategy,
      digests: ofNode?.map(({ digest }) => digest),
    };
    return {
      from: new Date(from).toISOString(),
      to: new Date(now).toISOString(),
      bucket_seconds: bucketMs / 1_000,
      since: first === undefined ? null : new Date(first).toISOString(),
      buckets: bucketsOf(hours, from, now, bucketMs, paceOf).map(({ at, hour }) => bucketOf(at, hour, asked)),
      nodes: await Promise.all(nodes.map((node) => recordOf(ports, node, ofVault, { strategy, overMs }))),
      vaults: await Promise.all(
        whole.vaults
          .filter(({ key }) => strategy === undefined || key === strategy)
          .map((one) => pricingOf(ports, one)),
      ),
      rounds: (await history.newestRounds(newest, LISTED)).map((round) => ({
        ...shownRound(round, configurations.find(({ digest }) => digest === round.digest) ?? null),
        config_digest: round.digest,
      })),
      rounds_kept_days: ROUNDS_KEPT_DAYS,
      as_of: new Date(now).toISOString(),
    };
  };
