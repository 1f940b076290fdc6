import type { GetValidators, ListTransmissions, ParamsOf, ResultOf } from '@castellan/contracts';
import { invalidCursor } from '@castellan/service-kit';
import type { SnapshotReader } from '../../vault/adapters/snapshot-store.mongo.ts';
import { requireVault, type VaultSource } from '../../vault/use-cases/vault-view.ts';
import type { TransmissionStore } from '../adapters/transmissions.mongo.ts';
import type { ValidatorStore } from '../adapters/validator-network.mongo.ts';
import { healthOf, latenessOf, type NodeHealth, quietMs } from '../domain/validator-health.ts';
import { type ConfigDocument, type RoundDocument, staleSince } from '../domain/validator-network.ts';

export type ValidatorPorts = {
  validators: ValidatorStore;
  transmissions: TransmissionStore;
  snapshots: SnapshotReader;
  now: () => number;
};

type Answer = ResultOf<typeof GetValidators>;
type Incident = Answer['incidents'][number];

/** Rounds that a node's part is counted over. */
const ROUNDS = 20;
const LISTED = 20;
const DAY_MS = 86_400_000;

/** A round as it is answered; prices without what was observed of them. */
export const shownRound = (round: RoundDocument, config: Pick<ConfigDocument, 'digest' | 'oracles'> | null) => {
  const { epoch, round: number, leader, outcome, observers, signers, prices, finished_at } = round;
  const all = config?.digest === round.digest ? config.oracles.map(({ index }) => index) : [];
  const ascending = (list: readonly number[]) => [...list].sort((a, b) => a - b);
  return {
    ...{ epoch, round: number, leader, outcome },
    prices: prices.map(({ chain_id, strategy_address, nonce, report_timestamp }) => ({
      ...{ chain_id, strategy_address, nonce, report_timestamp },
    })),
    observers: ascending(observers),
    signers: ascending(signers),
    missing: all.filter((index) => !observers.includes(index)),
    finished_at: finished_at.toISOString(),
  };
};

const sumOrNull = (values: readonly (number | null)[]): number | null =>
  values.some((value) => value === null) ? null : values.reduce<number>((total, value) => total + (value ?? 0), 0);

async function staleIncidents(
  { validators, snapshots }: ValidatorPorts,
  members: ReadonlySet<string>,
): Promise<Incident[]> {
  const incidents: Incident[] = [];
  for (const document of await validators.strategies()) {
    const since = staleSince(document, members);
    const snapshot = since && (await snapshots.ofStrategy(document.chain_id, document.strategy));
    if (!since || !snapshot) continue;
    const { chain_id, vault_address, name, tvl_usd, is_paused } = snapshot.detail;
    incidents.push({
      kind: 'strategy_stale',
      since: since.toISOString(),
      node_index: null,
      vaults: [{ chain_id, vault_address, name, tvl_usd }],
      // A paused vault accepts no price and pays nobody at a wrong one.
      value_at_risk_usd: is_paused ? 0 : tvl_usd,
      reason: is_paused ? 'Stale because the vault is paused.' : 'No new price for longer than the validators allow.',
    });
  }
  return incidents;
}

async function networkIncidents(
  { snapshots }: ValidatorPorts,
  config: ConfigDocument,
  health: readonly NodeHealth[],
  newest: RoundDocument | undefined,
  now: Date,
): Promise<Incident[]> {
  const incidents: Incident[] = health
    .filter(({ status }) => status === 'silent')
    .map(({ index, lastSeen, nodeId }) => ({
      kind: 'node_silent',
      since: (lastSeen ?? config.since).toISOString(),
      node_index: index,
      vaults: [],
      value_at_risk_usd: 0,
      reason: `${nodeId ?? `Oracle ${index}`} is in none of the last rounds.`,
    }));
  const quietSince = newest?.finished_at ?? config.since;
  if (now.getTime() - quietSince.getTime() <= quietMs(config)) return incidents;
  const all = await snapshots.all([config.chain_id]);
  const vaults = all
    .filter(({ detail }) => !detail.is_paused)
    .map(({ detail: { chain_id, vault_address, name, tvl_usd } }) => ({ chain_id, vault_address, name, tvl_usd }));
  return [
    {
      kind: 'no_rounds',
      since: quietSince.toISOString(),
      node_index: null,
      vaults,
      value_at_risk_usd: sumOrNull(vaults.map(({ tvl_usd }) => tvl_usd)),
      reason: `No round was finished since; ${health.filter(({ status }) => status === 'ok').length} of ${health.length} nodes answer.`,
    },
    ...incidents,
  ];
}

async function nodesOf(
  { transmissions }: ValidatorPorts,
  config: ConfigDocument,
  health: readonly NodeHealth[],
  rounds: readonly RoundDocument[],
  now: Date,
): Promise<Answer['nodes']> {
  const sent = await transmissions.successesSince(new Date(now.getTime() - DAY_MS).toISOString());
  return config.oracles.map(({ index, signer, transmitter }, place) => ({
    index,
    node_id: health[place]?.nodeId ?? null,
    signer_address: signer,
    transmitter_address: transmitter,
    status: health[place]?.status ?? 'unknown',
    observed: rounds.filter(({ observers }) => observers.includes(index)).length,
    signed: rounds.filter(({ signers }) => signers.includes(index)).length,
    led: rounds.filter(({ leader }) => leader === index).length,
    transmitted: sent.get(transmitter.toLowerCase()) ?? 0,
    last_seen: health[place]?.lastSeen?.toISOString() ?? null,
  }));
}

export const getValidators =
  (ports: ValidatorPorts) =>
  async (_params: ParamsOf<typeof GetValidators>): Promise<Answer> => {
    const { validators, transmissions } = ports;
    const now = new Date(ports.now());
    const config = await validators.config();
    const [rounds, nodes] = await Promise.all([
      config ? validators.rounds(config.digest, ROUNDS) : [],
      validators.nodes(),
    ]);
    const health = config ? healthOf(config, nodes, rounds, now) : [];
    const members = new Set(nodes.filter(({ digest }) => digest === config?.digest).map(({ _id }) => _id));
    return {
      config: config && {
        ...{ chain_id: config.chain_id, version: String(config.version), digest: config.digest },
        ...{ quorum: config.quorum, f: config.f, round_seconds: config.round_seconds },
        heartbeat_seconds: config.heartbeat_seconds,
        since: config.since.toISOString(),
      },
      nodes: config ? await nodesOf(ports, config, health, rounds, now) : [],
      rounds_counted: rounds.length,
      rounds: rounds.map((round) => shownRound(round, config)),
      transmissions: await transmissions.latest(LISTED),
      incidents: [
        ...(await staleIncidents(ports, members)),
        ...(config ? await networkIncidents(ports, config, health, rounds[0], now) : []),
      ],
      as_of: now.toISOString(),
    };
  };

const nothingDue = { due_at: null, late_by_seconds: null, reason: null, detail: null, silent_nodes: [] };

export const listTransmissions =
  (ports: ValidatorPorts & VaultSource) =>
  async ({
    chain_id,
    vault_address,
    limit,
    cursor,
  }: ParamsOf<typeof ListTransmissions>): Promise<ResultOf<typeof ListTransmissions>> => {
    const { validators, transmissions } = ports;
    const { detail } = await ports.freshen(await requireVault(ports, chain_id, vault_address));
    const page = await transmissions.page(chain_id, vault_address, limit, cursor);
    if (!page) throw invalidCursor();
    const config = await validators.config();
    const rounds = await validators.roundsOf(chain_id, detail.strategy_address, 10);
    const listed = { ...page, rounds: rounds.map((round) => shownRound(round, config)) };
    if (!config) return { ...listed, next: { ...nothingDue, value_at_risk_usd: null, pps: detail.current_pps } };
    const now = new Date(ports.now());
    const all = await validators.rounds(config.digest, ROUNDS);
    const health = healthOf(config, await validators.nodes(), all, now);
    const late = latenessOf(
      config,
      health,
      all[0],
      {
        lastUpdate: new Date(detail.last_oracle_update_timestamp ?? detail.last_pps_update_timestamp),
        minIntervalSeconds: detail.pps_config.min_update_interval_seconds,
        isPaused: detail.is_paused,
        isUnfunded: detail.operational_state === 'underfunded',
        lastTransmission: page.transmissions[0],
        rounds,
      },
      { chain: new Date(detail.chain_time), wall: now },
    );
    const isLate = late.lateMs > 0;
    return {
      ...listed,
      next: {
        due_at: late.dueAt.toISOString(),
        late_by_seconds: isLate ? Math.floor(late.lateMs / 1_000) : null,
        reason: isLate ? late.reason : null,
        detail: isLate ? late.detail : null,
        silent_nodes: health.filter(({ status }) => status === 'silent').map(({ index }) => index),
        value_at_risk_usd: isLate && !detail.is_paused ? detail.tvl_usd : null,
        pps: detail.current_pps,
      },
    };
  };
