import { randomUUID } from 'node:crypto';
import {
  type Action,
  busServiceNames,
  busServices,
  GetAlertReadings,
  GetValidators,
  GetVaultManagers,
  ListTransmissions,
} from '@castellan/contracts';
import type { CallAction, Logger } from '@castellan/service-kit';
import type { Journal } from '../journal/adapters/journal.mongo.ts';
import type { Sample } from '../journal/domain/journal.ts';
import type { Fold } from '../rules/domain/facts.ts';
import type { StoredEngine } from './models/collections.ts';

/** Outcomes of transmissions that a price landing or not decided. */
const counted: ReadonlySet<string> = new Set(['success', 'failure', 'error']);
const TRANSMISSIONS = 20;

export type SamplerDeps = {
  callAction: CallAction;
  journal: Journal;
  /** Names of the services that answer on the bus now. */
  services: () => Promise<readonly string[]>;
  log: Logger;
  now: () => number;
  intervalMs: number;
};

type Engines = readonly StoredEngine[];
type Services = NonNullable<Sample['services']>;

/** Two digits of a balance, rounded down: gas is spent all the time, and each change would be a fact to keep. */
const roughly = (wei: string): string => `${wei.slice(0, 2)}${'0'.repeat(Math.max(0, wei.length - 2))}`;

/** A service that no release of now has, and that was away for so long, was retired or has another name: it is missed no more. */
const RETIRED_SECONDS = 86_400;
/** Of this release: the keeper answers no call, and the others are named in those that are made. */
const ours: ReadonlySet<string> = new Set([
  'keeper',
  ...busServiceNames,
  ...busServiceNames.flatMap((service) =>
    busServices[service].calls.map(({ name }: Action) => String(name.split('.')[1])),
  ),
]);

/** The services that were seen, those that answer and those that are missed. One that was never there is not missed. */
function servicesAfter(before: Services, up: ReadonlySet<string>, nowSeconds: number): Services {
  const missed = before.flatMap(({ name, down_since = nowSeconds }) =>
    up.has(name) || (!ours.has(name) && nowSeconds - down_since >= RETIRED_SECONDS)
      ? []
      : [{ name, up: false, down_since }],
  );
  return [...[...up].map((name) => ({ name, up: true })), ...missed].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads what is in no log, every so often, and writes down what changed. What cannot be read stays as it was. */
export function sampler({ callAction, journal, services, log, now, intervalMs }: SamplerDeps) {
  const lastMs = new Map<number, number>();

  const tried = async <T>(what: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      log.warn('alerts go on without a reading', { what, error: error as Error });
      return undefined;
    }
  };

  const ofNetwork = async () => ({
    up: new Set(await services()),
    network: await tried('validators', () => callAction(GetValidators, {})),
  });

  const ofVault = async (
    { chain_id, vault_address }: StoredEngine,
    network: Awaited<ReturnType<typeof ofNetwork>>['network'],
  ) => {
    const on = { chain_id, vault_address };
    const sample: Sample = {};
    const nodes = network?.config?.chain_id === chain_id ? network.nodes : [];
    if (network)
      sample.nodes = nodes.map(({ index, node_id, status }) => ({ index, node_id, silent: status === 'silent' }));
    const list = await tried('transmissions', () => callAction(ListTransmissions, { ...on, limit: TRANSMISSIONS }));
    if (list) {
      const outcomes = list.transmissions.filter(({ status }) => counted.has(status));
      sample.transmissions = {
        attempts: outcomes.length,
        successes: outcomes.filter(({ status }) => status === 'success').length,
      };
    }
    const managers = await tried('managers', () => callAction(GetVaultManagers, on));
    const wallets = new Map(
      nodes.map(({ index, transmitter_address }) => [transmitter_address, `transmitter of validator ${index}`]),
    );
    // People want to be able to pause.
    for (const { wallet_address } of managers?.secondary ?? []) wallets.set(wallet_address, 'secondary manager');
    const readings = await tried('readings', () =>
      callAction(GetAlertReadings, { ...on, wallets: [...wallets.keys()] }),
    );
    if (!readings) return sample;
    const { pause_proof: proof, keeper, balances } = readings;
    const admitted = [managers?.primary, ...(managers?.secondary ?? [])].map((manager) => manager?.wallet_address);
    if (keeper !== null && admitted.includes(keeper)) wallets.set(keeper, 'keeper');
    if (proof) sample.pause_proof = { ok: proof.ok, old: proof.is_old, reason: proof.ok ? null : proof.reason };
    if (managers)
      sample.gas = balances.flatMap(({ wallet_address: wallet, balance }) => {
        const role = wallets.get(wallet);
        return role === undefined ? [] : [{ wallet, role, balance: roughly(balance) }];
      });
    return sample;
  };

  return async (engines: Engines, clock: number, foldOf: (engine: StoredEngine) => Promise<Fold>): Promise<void> => {
    const chainId = engines[0]?.chain_id;
    if (chainId === undefined || now() - (lastMs.get(chainId) ?? 0) < intervalMs) return;
    lastMs.set(chainId, now());
    const { up, network } = await ofNetwork();
    const sampleOne = async (engine: StoredEngine): Promise<void> => {
      const before = (await foldOf(engine)).facts.sample;
      const services = servicesAfter(before.services ?? [], up, Math.floor(now() / 1000));
      const sample: Sample = { services, ...(await ofVault(engine, network)) };
      const changed = Object.entries(sample).filter(
        ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Sample]),
      );
      if (changed.length === 0) return;
      const events = [{ type: 'sample' as const, ...(Object.fromEntries(changed) as Sample) }];
      await journal.append(engine, { id: `sample:${randomUUID()}`, time: 0, block: null, events }, clock);
    };
    for (const engine of engines) await tried('vault', () => sampleOne(engine));
  };
}
