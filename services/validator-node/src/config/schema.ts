import { keyNameFault } from '@castellan/signer';
import { isAddress } from 'viem/utils';
import { z } from 'zod';
import { durationField, field, intField, secretField, urlField, urlsField } from './field.ts';

/** Chains with money on them: development mode is refused where one of them is configured. */
export const publicChains: ReadonlySet<number> = new Set([
  1, 10, 56, 100, 130, 137, 146, 250, 324, 480, 999, 1329, 5000, 8453, 42161, 42220, 43114, 57073, 59144, 80094, 81457,
  534352, 747474,
]);

const Hex32 = z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/);
const EvmAddress = z.string().refine((text) => isAddress(text, { strict: false }));

const keyOfService = (about: string) =>
  field(
    z
      .string()
      .refine((name) => keyNameFault(name) === null)
      .optional(),
    { about, allowed: 'SERVICE:NAME with aws-kms, gcp-kms or web3signer as service (docs/operations/keys.md)' },
  );

const Node = z.strictObject({
  node_id: field(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/), {
    about: 'Name of this node in logs, events and its document store.',
    allowed: '1 to 63 of a-z, 0-9, _ and -, beginning with a letter or digit',
    example: 'oracle-1',
  }),
});

const Keys = z.strictObject({
  key_file_path: field(z.string().min(1).optional(), {
    about: 'Encrypted key bundle, made by `castellan-validator keys generate`.',
    allowed: 'the path of a file',
    example: './keys/oracle-1.json',
  }),
  password_file: field(z.string().min(1).optional(), {
    about: 'File that holds the password of the key bundle.',
    allowed: 'the path of a file',
    example: './keys/password',
  }),
  offchain_private_key: secretField(
    z
      .string()
      .regex(/^(0x)?([0-9a-fA-F]{64}|[0-9a-fA-F]{128})$/)
      .optional(),
    {
      about: 'Ed25519 key in the clear; with ocr2.development_mode only.',
      allowed: '64 hexadecimal digits (seed) or 128 (seed and public key)',
    },
  ),
  onchain_private_key: z
    .strictObject({
      private_key: secretField(Hex32.optional(), {
        about: 'secp256k1 key that signs prices, in the clear; with ocr2.development_mode only.',
        allowed: '64 hexadecimal digits',
      }),
      kms_key_id: keyOfService('secp256k1 key of a key service that signs prices; then the bundle has none.'),
    })
    .prefault({}),
  transmitter_private_key: z
    .strictObject({
      private_key: secretField(Hex32.optional(), {
        about: 'secp256k1 key that pays for transmissions, in the clear; with ocr2.development_mode only.',
        allowed: '64 hexadecimal digits',
      }),
      kms_key_id: keyOfService('secp256k1 key of a key service that pays for transmissions; then the bundle has none.'),
    })
    .prefault({}),
});

const Bus = z.strictObject({
  urls: secretField(z.array(urlField(['nats', 'tls'])).min(1), {
    about: 'NATS servers; the client keeps to one and moves on when it is gone.',
    allowed: 'a list of nats:// or tls:// URLs',
    example: ['tls://nats-1.example.net:4222', 'tls://nats-2.example.net:4222'],
  }),
  credentials_file: field(z.string().min(1).optional(), {
    about: 'NATS credentials (.creds) of this node, or a file with `user:password`.',
    allowed: 'the path of a file',
    example: './keys/nats.creds',
  }),
  tls: z
    .strictObject({
      ca_file: field(z.string().min(1).optional(), {
        about: 'Certificate authority of the servers; the system’s when left out.',
        allowed: 'the path of a PEM file',
      }),
      cert_file: field(z.string().min(1).optional(), {
        about: 'Certificate of this node, when the servers ask for one.',
        allowed: 'the path of a PEM file',
      }),
      key_file: field(z.string().min(1).optional(), {
        about: 'Key of that certificate.',
        allowed: 'the path of a PEM file',
      }),
    })
    .prefault({}),
  network: field(
    z
      .string()
      .regex(/^[a-z0-9_-]{1,32}$/)
      .default('castellan'),
    {
      about: 'Separates networks that share a bus; the same on all nodes of one network.',
      allowed: '1 to 32 of a-z, 0-9, _ and -',
    },
  ),
});

const Events = z.strictObject({
  url: secretField(urlsField(['nats', 'tls']).optional(), {
    about: 'NATS servers with JetStream that take the events for internal services; without them none are published.',
    allowed: 'nats:// or tls:// URLs, separated by commas',
    example: 'nats://validators:password@nats.example.net:4222',
  }),
  namespace: field(
    z
      .string()
      .regex(/^[a-z0-9-]{1,32}$/)
      .default('castellan'),
    { about: 'Deployment the events belong to, as its services name it.', allowed: '1 to 32 of a-z, 0-9 and -' },
  ),
});

const Database = z.strictObject({
  url: secretField(z.string().regex(/^mongodb(\+srv)?:\/\/[^\s]+$/), {
    about: 'Document store of this node alone; a replica set in production.',
    allowed: 'a mongodb:// or mongodb+srv:// URL',
    example: 'mongodb://127.0.0.1:27017/?replicaSet=validator',
  }),
  name: field(
    z
      .string()
      .regex(/^[\w-]{1,38}$/)
      .optional(),
    {
      about: 'Database; when left out `castellan_validator_` and the node_id, with _ for each -.',
      allowed: '1 to 38 letters, digits, _ and -',
    },
  ),
  timeout: durationField('100ms', '10s', '5s', 'Longest wait for one answer of the store.'),
  max_connections: intField(1, 1000, 10, 'Connections of the pool.'),
});

const Monitoring = z.strictObject({
  metrics_port: intField(0, 65_535, 9090, 'Port of /metrics; 0 takes any free one.'),
  health_port: intField(0, 65_535, 8080, 'Port of /healthz and /readyz; 0 takes any free one.'),
  bind: field(z.union([z.ipv4(), z.ipv6()]).default('127.0.0.1'), {
    about: 'Address both ports listen on.',
    allowed: 'an IP address; 0.0.0.0 for all',
  }),
  log_level: field(z.enum(['debug', 'info', 'warn', 'error']).default('info'), {
    about: 'Least important line that is logged.',
    allowed: 'debug, info, warn or error',
  }),
  health_check_interval: durationField(
    '1s',
    '24h',
    '1h',
    'A strategy without an update for longer is stale (ocr2_strategy_update_stale).',
  ),
  max_pps_deviation_ppb: intField(
    0,
    1_000_000_000,
    10_000_000,
    'A proposed price further from this node’s own is refused, parts per billion (10000000 is 1 %); 0 turns it off.',
  ),
});

const Ocr2 = z.strictObject({
  config_sync_chain_id: field(z.int().positive().default(1), {
    about: 'Chain whose governor holds the configuration of the network; one of the chains file.',
    allowed: 'a chain id',
  }),
  poll: durationField('1s', '120s', '15s', 'How often the configuration is looked for on the chain.'),
  confirmations: intField(1, 100, 3, 'Blocks on top before a configuration counts.'),
  blockchain_timeout: durationField('1s', '20s', '10s', 'Longest wait for one answer of a chain.'),
  transmit_timeout: durationField(
    '1s',
    '60s',
    '10s',
    'Longest wait until a chain’s transmitter takes a report over; after that it is tried again.',
  ),
  shutdown_grace: durationField('1s', '5m', '15s', 'Longest orderly shutdown.'),
  empty_guard: field(z.enum(['refuse', 'wait', 'sign']).default('refuse'), {
    about:
      'What a signer does that the network’s configuration lists while the store has no guard of what it signed: refuse to start, wait out an epoch and then sign, or sign at once (with ocr2.development_mode only).',
    allowed: 'refuse, wait or sign',
  }),
  development_mode: field(z.boolean().default(false), {
    about: 'Allows keys in the clear and short durations; refused where a public chain is configured.',
    allowed: 'true or false',
  }),
});

const GweiString = z.string().regex(/^(0|[1-9]\d*)(\.\d{1,9})?$/);

const Transmitter = z.strictObject({
  max_fee_gwei: field(GweiString.default('200'), {
    about:
      'Highest fee per gas ever offered, tip included. Prices are sent for 100/(100 + bump_percent) of it, and of max_tip_gwei, at most: so they can be taken back.',
    allowed: 'gwei as text, such as "200" or "0.05"',
  }),
  min_tip_gwei: field(GweiString.default('0.01'), {
    about: 'Lowest tip per gas.',
    allowed: 'gwei as text, such as "0.01"',
  }),
  max_tip_gwei: field(GweiString.default('20'), {
    about: 'Highest tip per gas ever offered, whatever others pay.',
    allowed: 'gwei as text, such as "20"',
  }),
  bump_percent: field(z.int().min(13).max(100).default(20), {
    about: 'How much fee and tip grow when a transaction is replaced; nodes refuse less than 10.',
    allowed: 'a whole number from 13 to 100',
  }),
  bump_after_blocks: intField(1, 100, 3, 'Blocks a transaction waits before it is replaced.'),
  gas_limit: intField(100_000, 100_000_000, 15_000_000, 'Most gas one transaction may use.'),
  confirmations: intField(1, 200, 12, 'Blocks on top before a transmission is final.'),
  max_in_flight: intField(1, 64, 16, 'Transactions that may wait at once, per chain.'),
});

/** `config.toml`. Everything said of a key is said here: template, documentation and faults are made from it. */
export const NodeFile = z.strictObject({
  chain_config_path: field(z.string().min(1).default('./chains.toml'), {
    about: 'The chains and what to report on them; relative to this file.',
    allowed: 'the path of a TOML file',
  }),
  node: Node,
  keys: Keys.prefault({}),
  bus: Bus,
  events: Events.prefault({}),
  database: Database,
  monitoring: Monitoring.prefault({}),
  ocr2: Ocr2.prefault({}),
  transmitter: Transmitter.prefault({}),
});
export type NodeFile = z.output<typeof NodeFile>;

const RpcList = (schemes: readonly string[]) => z.array(urlField(schemes));

const Chain = z.strictObject({
  name: field(z.string().min(1).max(64), {
    about: 'Name for people.',
    allowed: '1 to 64 characters',
    example: 'ethereum',
  }),
  chain_id: field(z.int().positive(), { about: 'Checked against each RPC.', allowed: 'a chain id', example: 1 }),
  https_rpc: secretField(RpcList(['https', 'http']).min(1), {
    about: 'RPC endpoints; two or more providers, so that one that lies or lags is noticed.',
    allowed: 'a list of http(s):// URLs',
    example: ['https://rpc-one.example.com/key', 'https://rpc-two.example.com/key'],
  }),
  block_time: durationField('100ms', '5m', '12s', 'Expected time between blocks.'),
  start_block: intField(
    0,
    Number.MAX_SAFE_INTEGER,
    0,
    'Block of the governor’s creation: configurations are looked for from here.',
  ),
  supported_strategies: field(z.array(EvmAddress).max(300).default([]), {
    about: 'Strategies to report; empty: all that the chain’s aggregator knows.',
    allowed: 'a list of at most 300 addresses',
    example: [],
  }),
  ecdsa_oracle_address: field(EvmAddress, {
    about: 'Oracle contract that takes the signed prices.',
    allowed: 'an address',
    example: '0x0000000000000000000000000000000000000001',
  }),
  super_governor_address: field(EvmAddress, {
    about: 'Governor contract that names the validators.',
    allowed: 'an address',
    example: '0x0000000000000000000000000000000000000002',
  }),
  l1_fee_oracle_address: field(EvmAddress.optional(), {
    about: 'GasPriceOracle of a chain of the OP stack, which charges for its L1 beside gas; known for Base.',
    allowed: 'an address',
  }),
  price_source: field(z.enum(['valued', 'published']).default('valued'), {
    about: 'valued: from what the strategy holds; published: the vault’s own share price.',
    allowed: 'valued or published',
  }),
});

/** The chains file: `[[chains]]`, once per chain. */
export const ChainsFile = z.strictObject({
  chains: field(z.array(Chain).min(1), { about: 'One per chain.', allowed: 'one [[chains]] table or more' }),
});
export type ChainEntry = z.output<typeof Chain>;

/** What an operator who moves from another node or release brings along, and its replacement. */
export const retired: Readonly<Record<string, string>> = {
  p2p: 'validators talk over the message bus: set [bus] urls',
  'node.p2p_listen_addr': 'validators talk over the message bus: set [bus] urls',
  'node.p2p_port': 'validators talk over the message bus: set [bus] urls',
  'node.data_dir': 'the node keeps everything in its document store: leave it out',
  'monitoring.log_format': 'every line is one JSON object: leave it out',
  'ocr2.config_version': 'the timing stands in the configuration on the chain: leave it out',
  'ocr2.config_load_timeout': 'each answer of a chain has ocr2.blockchain_timeout: leave it out',
  'chains.wss_rpc': 'blocks are asked for by https_rpc: leave it out',
  'database.max_idle_conns': 'the document store’s pool needs max_connections only',
  'database.conn_max_lifetime': 'the document store’s pool needs max_connections only',
};
