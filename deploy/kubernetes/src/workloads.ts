import { readFileSync } from 'node:fs';
import type { BusServiceName } from '@castellan/contracts';
import { parse } from 'yaml';
import type { Configuration } from './configuration.ts';
import type { ImageName } from './images.ts';
import { keeperKeysOf } from './keeper-keys.ts';
import { repository } from './repository.ts';
import type { Resources } from './values.ts';

/** A variable whose value is a file: the key of the service's secret, or of one that several services share. */
export type SecretFile = { variable: string; key: string; secret?: string };

/** What a service is scaled on: its own load, and with `monitoring.customMetrics` what only its metrics show. */
export type Scaling = {
  cpuPercent?: number;
  memoryPercent?: number;
  /** Average per pod of a metric that prometheus-adapter serves. */
  custom?: Readonly<Record<string, number>>;
};

/** What a service needs to run, whatever the operator decides. */
export type Workload = {
  image: ImageName;
  /** Absent: what the image starts. */
  command?: readonly string[];
  ports: { monitoring: number; http?: number };
  environment: Readonly<Record<string, string>>;
  files: readonly SecretFile[];
  /** Keys of its secret that are read by a path of their own instead of a variable of ours. */
  keys?: readonly string[];
  /** Ports of hosts of the internet beside 443. */
  outsidePorts?: readonly number[];
  replicas: { min: number; max: number };
  resources: Resources;
  scaling?: Scaling;
  /** Longest time to become ready; the first start of vaults reads the whole log of each chain. */
  readyWithinSeconds: number;
};

const chains: SecretFile = { variable: 'CHAINS_FILE', key: 'chains', secret: 'castellan-chains' };
const usual = { replicas: { min: 2, max: 6 }, resources: { cpu: '250m', memory: '512Mi' }, readyWithinSeconds: 600 };

type Compose = { services: Record<string, { command?: string[] }> };

/** The keeper is a second process of the image of vaults: it is started here as docker-compose.yml starts it. */
function keeperCommand(): readonly string[] {
  const { services } = parse(readFileSync(repository('docker-compose.yml'), 'utf8'), {
    merge: true,
    maxAliasCount: -1,
  }) as Compose;
  const command = services.keeper?.command;
  if (!command) throw new Error('docker-compose.yml has no command of the keeper.');
  return command;
}

const keeper = (configuration: Configuration): Workload => ({
  ...usual,
  image: 'vaults',
  command: keeperCommand(),
  ports: { monitoring: 9107 },
  ...keeperKeysOf(configuration),
  files: [chains],
  // One works and one stands by: a lease per chain decides, so more of them carry out nothing more.
  replicas: { min: 2, max: 2 },
});

const authFiles = ({ formerAuthKeySecret }: Configuration): SecretFile[] => [
  chains,
  { variable: 'AUTH_KEY_SECRET_FILE', key: 'auth-key-secret' },
  ...(formerAuthKeySecret ? [{ variable: 'AUTH_KEY_SECRET_PREVIOUS_FILE', key: 'auth-key-secret-previous' }] : []),
];

/** Vendors of models ask for a key; a server of one's own may not. */
const modelFiles = ({ AI_MODEL = 'ollama:', AI_BASE_URL }: Readonly<Record<string, string>>): SecretFile[] =>
  AI_MODEL.startsWith('ollama:') || AI_BASE_URL ? [] : [{ variable: 'AI_API_KEY_FILE', key: 'ai-api-key' }];

/** Mail is sent where its sender is named: the server's URL has a password, and a port of its own. */
const mailOf = ({ SMTP_FROM }: Readonly<Record<string, string>>): Pick<Workload, 'files' | 'outsidePorts'> =>
  SMTP_FROM === undefined
    ? { files: [] }
    : { files: [{ variable: 'SMTP_URL_FILE', key: 'smtp-url' }], outsidePorts: [465, 587] };

/** The services that run under a configuration. */
export function workloadsOf(configuration: Configuration): Map<BusServiceName, Workload> {
  const { publicUrl, trustedProxies, services } = configuration;
  const mail = mailOf(services.users.environment);
  const workloads: [BusServiceName, Workload][] = [
    [
      'gateway',
      {
        ...usual,
        image: 'gateway',
        ports: { monitoring: 9101, http: 8080 },
        environment: {
          HTTP_HOST: '0.0.0.0',
          HTTP_PORT: '8080',
          AI_HTTP_URL: 'http://ai:8081',
          PUBLIC_URL: publicUrl,
          TRUST_PROXY: trustedProxies.join(','),
        },
        files: [],
        resources: { cpu: '500m', memory: '1Gi' },
        replicas: { min: 2, max: 10 },
        scaling: { cpuPercent: 70, custom: { http_requests_per_second: 300, sse_connections: 2000 } },
      },
    ],
    [
      'auth',
      {
        ...usual,
        image: 'auth',
        ports: { monitoring: 9102 },
        environment: { PUBLIC_URL: publicUrl },
        files: authFiles(configuration),
        // Checking signatures is work for the processor.
        scaling: { cpuPercent: 70 },
      },
    ],
    [
      'vaults',
      {
        ...usual,
        image: 'vaults',
        ports: { monitoring: 9103 },
        environment: {},
        files: [chains],
        resources: { cpu: '500m', memory: '1Gi' },
        scaling: { cpuPercent: 70, custom: { actions_per_second: 200 } },
        readyWithinSeconds: 7200,
      },
    ],
    [
      'analytics',
      {
        ...usual,
        image: 'analytics',
        ports: { monitoring: 9104 },
        environment: {},
        files: [],
        resources: { cpu: '500m', memory: '2Gi' },
        // Every instance holds the histories it was asked for in memory.
        scaling: { cpuPercent: 70, memoryPercent: 80 },
        readyWithinSeconds: 3600,
      },
    ],
    [
      'users',
      {
        ...usual,
        image: 'users',
        ports: { monitoring: 9105 },
        environment: {},
        ...mail,
        files: [{ variable: 'NOTIFICATIONS_KEY_FILE', key: 'notifications-key' }, ...mail.files],
        scaling: { cpuPercent: 70, custom: { durable_pending_messages: 1000 } },
      },
    ],
    [
      'ai',
      {
        ...usual,
        image: 'ai',
        ports: { monitoring: 9106, http: 8081 },
        environment: { AI_HTTP_HOST: '0.0.0.0', AI_HTTP_PORT: '8081', PUBLIC_URL: publicUrl },
        files: modelFiles(services.ai.environment),
        scaling: { cpuPercent: 70, custom: { ai_chat_connections: 500 } },
      },
    ],
  ];
  if (services.keeper) workloads.push(['keeper', keeper(configuration)]);
  return new Map(
    workloads.map(([name, workload]) => {
      const given = Object.entries(services[name]?.secretFiles ?? {}).map(([variable, key]) => ({ variable, key }));
      return [name, { ...workload, files: [...workload.files, ...given] }];
    }),
  );
}
