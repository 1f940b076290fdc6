import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { devnetValidators } from '@castellan/devnet';
import { servicesConf } from '@castellan/service-kit/bus';
import { stringify } from 'smol-toml';
import { usersOf, validatorsConf } from '../../services/validator-node/src/transport/permissions.ts';
import type { Options } from './options.ts';
import type { BusCredentials } from './secrets.ts';

type Where = {
  options: Options;
  chains: readonly { network: { slug: string; blockTimeSeconds: number }; port: number; folder: string }[];
  ports: { validators: readonly { metrics: number; health: number }[] };
  natsUrl: string;
  bus: BusCredentials | undefined;
  store: { uriOf: (user: string) => string };
};

const namespace = process.env.NATS_NAMESPACE || 'castellan';
const offchainKeys = devnetValidators.map(({ offchain }) => offchain.publicKey);
/** The bus's users of the devnet's validators, in their order. */
export const oracleUsers = usersOf(offchainKeys);

/** The validators' account of the bus, with the users of the devnet's validators. */
export const validatorAccount = (): string => validatorsConf({ network: 'castellan', namespace }, offchainKeys);

/** The accounts of the bus that `npm start` runs: those that deploy/nats ships, for the devnet's validators. */
export const busAccounts = (): string => `${servicesConf(namespace)}\n${validatorAccount()}`;

/** Prices that may be missed before a strategy counts as stale. */
const missedPrices = 3;

export const validatorFolder = (stateDir: string, index: number): string =>
  join(stateDir, `validators/oracle-${index}`);

type ChainDeployment = { chain_id: number; governor: string; pps_oracle: string; start_block: number };

/**
 * Writes what each validator of the devnet is configured with. Their keys are the devnet's public test keys and stand in the
 * files as they are; anywhere else they belong into an encrypted bundle.
 */
export function writeValidatorConfigs({ options, chains: locals, ports, natsUrl, bus, store }: Where): void {
  const chains = locals.map(({ network, port, folder }) => {
    const deployment = JSON.parse(readFileSync(join(folder, 'deployment.json'), 'utf8')) as ChainDeployment;
    return {
      name: network.slug,
      chain_id: deployment.chain_id,
      https_rpc: [`http://127.0.0.1:${port}`],
      block_time: `${network.blockTimeSeconds}s`,
      start_block: deployment.start_block,
      super_governor_address: deployment.governor,
      ecdsa_oracle_address: deployment.pps_oracle,
    };
  });
  const busUrls = natsUrl.split(',');
  const eventsUrl = busUrls[0] as string;
  for (const { index, signer, transmitter, offchain } of devnetValidators) {
    const folder = validatorFolder(options.stateDir, index);
    const port = ports.validators[index];
    const user = String(oracleUsers[index]);
    const login = `${user}:${bus?.passwordOf(user)}`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (bus) writeFileSync(join(folder, 'bus-credentials'), login, { mode: 0o600 });
    const config = {
      chain_config_path: './chains.toml',
      node: { node_id: `oracle-${index}` },
      keys: {
        offchain_private_key: offchain.privateKey,
        onchain_private_key: { private_key: signer.privateKey },
        transmitter_private_key: { private_key: transmitter.privateKey },
      },
      bus: { urls: busUrls, ...(bus && { credentials_file: './bus-credentials' }) },
      events: { namespace, url: bus ? eventsUrl.replace('nats://', `nats://${login}@`) : eventsUrl },
      database: { url: store.uriOf(`oracle-${index}`) },
      monitoring: {
        metrics_port: port?.metrics,
        health_port: port?.health,
        health_check_interval: `${missedPrices * options.priceIntervalSeconds}s`,
      },
      ocr2: {
        config_sync_chain_id: chains[0]?.chain_id,
        poll: '2s',
        confirmations: 2,
        development_mode: true,
        // Chain and stores begin together: these keys have signed nothing of it but its history.
        empty_guard: 'sign',
      },
      transmitter: { confirmations: 5 },
    };
    writeFileSync(join(folder, 'config.toml'), stringify(config), { mode: 0o600 });
    writeFileSync(join(folder, 'chains.toml'), stringify({ chains }), { mode: 0o600 });
  }
}
