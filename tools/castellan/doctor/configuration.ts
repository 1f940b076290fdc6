import { statSync } from 'node:fs';
import type { BusServiceName } from '@castellan/contracts';
import {
  type BaseConfig,
  baseConfig,
  baseEnvironment,
  ConfigError,
  configLoader,
  type Env,
  isSecret,
  requireIdentity,
  withFiles,
} from '@castellan/service-kit';
import { toHex } from 'viem';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import * as ai from '../../../services/ai/src/config.ts';
import * as analytics from '../../../services/analytics/src/config.ts';
import { remoteKeyRing } from '../../../services/auth/src/adapters/remote-keys.ts';
import * as auth from '../../../services/auth/src/config.ts';
import * as gateway from '../../../services/gateway/src/config.ts';
import * as users from '../../../services/users/src/config.ts';
import { remoteAttestationKeys } from '../../../services/users/src/mandates/attestations/remote-keys.ts';
import * as vaults from '../../../services/vaults/src/config.ts';
import * as keeper from '../../../services/vaults/src/keeper/config.ts';
import { type KeySource, signerOf } from '../../../services/vaults/src/keeper/key.ts';
import { isHandedOver } from '../handed-over.ts';
import { type Finding, findingsOf, messageOf } from './finding.ts';
import type { Process } from './processes.ts';

type Schema = { Environment: z.ZodObject; loadConfig: (env: Env) => unknown };
const schemas: Readonly<Record<BusServiceName, Schema>> = { ai, analytics, auth, gateway, keeper, users, vaults };

const readBase = (service: string) =>
  configLoader(
    z.object({ ...baseEnvironment, MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(0) }),
    (env): BaseConfig =>
      baseConfig({ MONGODB_DATABASE: undefined, OTEL_EXPORTER_OTLP_ENDPOINT: undefined, ...env }, service),
  );

/** What every process is configured with; undefined where it cannot be read, which {@link checkConfiguration} reports. */
export function baseOf({ name, env }: Process): BaseConfig | undefined {
  try {
    // The keeper's documents are those of the vaults service.
    return readBase(name === 'keeper' ? 'vaults' : name)(env);
  } catch {
    return undefined;
  }
}

const configuration = findingsOf('configuration');
const keys = findingsOf('keys');
const secrets = findingsOf('secrets');

/** Holds the environment of a process against its schema, as the process does when it starts. */
export function checkConfiguration({ name, env }: Process): Finding[] {
  try {
    schemas[name].loadConfig(env);
    return [configuration.ok(name, 'its schema takes it')];
  } catch (error) {
    if (!(error instanceof ConfigError))
      return [configuration.fault(name, messageOf(error), 'See docs/configuration.md.')];
    return error.faults.map((fault) =>
      configuration.fault(
        name,
        `${fault.name} ${fault.message}`,
        `Set ${fault.name}; docs/configuration.md says what it takes.`,
      ),
    );
  }
}

/** The keys that a process proves its calls with, and the keeper's. */
export async function checkKeys(process: Process): Promise<Finding[]> {
  const { name, env } = process;
  const found: Finding[] = [];
  const base = baseOf(process);
  if (base)
    try {
      requireIdentity(base, name);
      found.push(keys.ok(name, 'its service key is among the public ones'));
    } catch (error) {
      found.push(keys.fault(name, messageOf(error), 'Make the pair anew: deploy/README.md.'));
    }
  if (name === 'auth') found.push(...(await checkTokenKeys(env)));
  if (name === 'users') found.push(...(await checkAttestationKeys(env)));
  if (name !== 'keeper') return found;
  try {
    const { key, ofChains, sources } = keeper.loadConfig(env);
    const ids = sources.chains.map(({ chainId }) => chainId);
    const common = ids.filter((id) => !ofChains.get(id)?.key);
    const senders = [
      { key, where: '', chainIds: common },
      ...[...ofChains].map(([id, { key: own }]) => ({ key: own, where: ` on chain ${id}`, chainIds: [id] })),
    ];
    for (const sender of senders) if (sender.key) found.push(await checkSender({ ...sender, key: sender.key }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
  return found;
}

/** Has each key of a key service sign that tokens are signed with. */
async function checkTokenKeys(env: Env): Promise<Finding[]> {
  try {
    const { kmsKeys, vaultTokenFile } = auth.loadConfig(env);
    if (kmsKeys.length === 0) return [];
    await remoteKeyRing(kmsKeys, vaultTokenFile).refresh();
    return [keys.ok('auth', `${kmsKeys.length} keys of a key service sign tokens or are published`)];
  } catch (error) {
    if (error instanceof ConfigError) return [];
    return [keys.fault('auth', messageOf(error), 'See docs/operations/keys.md.')];
  }
}

/** Has each key of a key service sign that attestations of mandates are signed with. */
async function checkAttestationKeys(env: Env): Promise<Finding[]> {
  try {
    const { kmsKeys, vaultTokenFile } = users.loadConfig(env).attestations;
    if (kmsKeys.length === 0) return [];
    await remoteAttestationKeys(kmsKeys, vaultTokenFile).active();
    return [keys.ok('users', `${kmsKeys.length} keys of a key service sign attestations or are published`)];
  } catch (error) {
    if (error instanceof ConfigError) return [];
    return [keys.fault('users', messageOf(error), 'See docs/operations/keys.md.')];
  }
}

/** Of the devnet. */
const developmentChains: ReadonlySet<number> = new Set([31_337, 31_338]);
const development = 'test test test test test test test test test test test junk';
const developmentAccounts = 64;

/** Addresses whose keys are in every tutorial. They are children of one key, so the slow step from the words to it is made once. */
function knownAddresses(): Set<string> {
  const parent = mnemonicToAccount(development, { path: "m/44'/60'/0'/0" }).getHdKey();
  const all = Array.from({ length: developmentAccounts }, (_, index) => parent.deriveChild(index).privateKey);
  return new Set(all.map((key) => privateKeyToAccount(toHex(key as Uint8Array)).address));
}

/** A key of the keeper, and the chains that it is for. */
type Sender = { key: KeySource; where: string; chainIds: readonly number[] };

/** Opens a key of the keeper, wherever it is; one of a key service signs once. */
async function checkSender({ key, where, chainIds }: Sender): Promise<Finding> {
  try {
    const { address } = await signerOf(key);
    if (chainIds.some((id) => !developmentChains.has(id)) && knownAddresses().has(address))
      return keys.fault(
        'keeper',
        `${address}${where} is an account of the devnet`,
        'Give the keeper a key of its own.',
      );
    return keys.ok('keeper', `it sends from ${address}${where}`);
  } catch (error) {
    return keys.fault('keeper', messageOf(error), 'See docs/keeper.md, and docs/operations/keys.md for a key service.');
  }
}

/** Where deploy/kubernetes mounts secrets, which the group of the pod's one user may read. */
const isOfPod = (file: string, { KUBERNETES_SERVICE_HOST: cluster }: Env): boolean =>
  cluster !== undefined && file.startsWith('/etc/castellan/');

function modeFault({ name, env }: Process, variable: string, file: string): Finding | undefined {
  if (isHandedOver(file) || isOfPod(file, env)) return undefined;
  try {
    if ((statSync(file).mode & 0o077) === 0) return undefined;
  } catch {
    return secrets.fault(name, `${variable} names ${file}, which is not there`, `Put the secret there, mode 600.`);
  }
  return secrets.fault(name, `others may read ${file} (${variable})`, `Run chmod 600 ${file}.`);
}

/** Nobody chose it by chance. */
const isGuessable = (value: string): boolean =>
  new Set(value).size < 6 || /change.?me|example|password|a secret of/i.test(value);

const random: Readonly<Record<string, string>> = {
  AUTH_KEY_SECRET: 'openssl rand -base64 48',
  AUTH_KEY_SECRET_PREVIOUS: 'openssl rand -base64 48',
  NOTIFICATIONS_KEY: 'openssl rand -hex 32',
};

/** Secrets that stand in files others may read, or that anybody may guess. */
export function checkSecrets(process: Process): Finding[] {
  const { name, env } = process;
  const { shape } = schemas[name].Environment;
  const { env: given } = withFiles(env, Object.keys(shape));
  const found: Finding[] = [];
  for (const [variable, field] of Object.entries(shape)) {
    const isFile = /^(KEEPER|AUTH_VAULT)_.*_FILE$/.test(variable);
    const file = isFile ? env[variable] : isSecret(field as z.ZodType) ? env[`${variable}_FILE`] : undefined;
    const fault = file && modeFault(process, variable, file);
    if (fault) found.push(fault);
    const command = random[variable];
    const value = given[variable];
    if (command && value && isGuessable(value))
      found.push(secrets.fault(name, `${variable} can be guessed`, `Make one with ${command}.`));
  }
  return found.length > 0 ? found : [secrets.ok(name, 'files are private, and none can be guessed')];
}
