import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  AuditRecorded,
  AuditStream,
  GetVaultManagers,
  RoleStream,
  RolesChanged,
  SessionRevoked,
  SessionStream,
} from '@castellan/contracts';
import {
  type Consumption,
  consumeDurable,
  currentRequestId,
  on,
  outboxSweepOfEndsMs,
  type ServiceContext,
  type ServiceDefinition,
  type ServiceParts,
} from '@castellan/service-kit';
import { KeyServiceError } from '@castellan/signer';
import { untilRolesAreRead } from '@castellan/tokens';
import { mongoChallenges } from './adapters/challenges.mongo.ts';
import { mongoMinuteQuota } from './adapters/minute-quota.mongo.ts';
import { remoteKeyRing } from './adapters/remote-keys.ts';
import { sealer } from './adapters/seal.ts';
import { mongoSessions } from './adapters/sessions.mongo.ts';
import { viemSignatures } from './adapters/signatures.viem.ts';
import { type KeyRing, mongoKeyRing } from './adapters/signing-keys.mongo.ts';
import { tokenSigner } from './adapters/token-signer.ts';
import { type AuthPorts, authService, rolesThrough } from './auth.service.ts';
import type { AuthConfig } from './config.ts';
import { keyOverlapSeconds } from './domain/session.ts';
import { authMetrics } from './telemetry.ts';
import { endTokensOfVault } from './use-cases/end-tokens-of-vault.ts';
import type { Distrust } from './use-cases/full-session.ts';

const nonceBytes = 16;
const keyRefreshMs = 60_000;
const leewaySeconds = 30;
const activationSeconds = 120;

/** Keys of a key service where some are named, else its own. */
function keyRingOf(config: AuthConfig, { mongo, outbox }: ServiceContext, distrust: Distrust): KeyRing {
  if (config.kmsKeys.length > 0) return remoteKeyRing(config.kmsKeys, config.vaultTokenFile);
  return mongoKeyRing({
    connection: mongo,
    recordWith: outbox.recordWith,
    sealer: sealer(config.keySecret, config.keySecretPrevious),
    distrust,
    rotationSeconds: config.keyRotationSeconds,
    activationSeconds,
    overlapSeconds: keyOverlapSeconds(config.sessionSeconds, leewaySeconds + keyRefreshMs / 1000),
    now: Date.now,
  });
}

/** A key service that does not sign is a part of the system that is away; what it said is for the log. */
const signedOr503 =
  (sign: AuthPorts['signToken'], log: ServiceContext['log']): AuthPorts['signToken'] =>
  async (...token) => {
    try {
      return await sign(...token);
    } catch (error) {
      if (!(error instanceof KeyServiceError)) throw error;
      log.error('the key service signed no token', { fault: error.fault, error });
      throw new AppError('SERVICE_UNAVAILABLE', 'No token can be signed now. Sign in again in a minute.');
    }
  };

function build(config: AuthConfig, context: ServiceContext): ServiceParts {
  const { mongo, outbox, log, registry, durable, callAction } = context;
  const now = Date.now;
  const metrics = authMetrics(registry);
  const distrust: Distrust = (collection, id) => {
    metrics.distrusted.inc({ collection });
    log.error('ignored a stored document that is malformed or forged', { collection, id: String(id) });
  };
  const keys = keyRingOf(config, context, distrust);
  const challenges = mongoChallenges(mongo, distrust);
  const sessions = mongoSessions(mongo, outbox.recordWith, distrust);
  const signatures = viemSignatures(config.chains);
  const ports: AuthPorts = {
    challenges,
    quota: mongoMinuteQuota(mongo),
    noncesPerMinute: config.noncesPerMinute,
    attemptsPerMinute: config.attemptsPerMinute,
    knowsChain: signatures.knowsChain,
    // viem's own nonces slide along one Math.random text: each reveals the next but for a character.
    makeNonce: () => randomBytes(nonceBytes).toString('hex'),
    signatures,
    sessions,
    signToken: signedOr503(tokenSigner({ keys, issuer: config.issuer, audience: config.audience }), log),
    makeSessionId: randomUUID,
    assertVault: async ({ chain_id, vault_address }) => {
      await callAction(GetVaultManagers, { chain_id, vault_address });
    },
    record: (entry) =>
      outbox.add(AuditRecorded, { ...entry, request_id: currentRequestId() ?? null }, { msgId: entry.id }),
    publicKeys: () => keys.publicKeys(),
    count: (outcome) => metrics.signIns.inc({ outcome }),
    now,
    nonceSeconds: config.nonceSeconds,
    sessionSeconds: config.sessionSeconds,
    sessionsPerWallet: config.sessionsPerWallet,
    stepUpSeconds: config.stepUpSeconds,
    issuer: config.issuer,
    distrust,
    relier: { origin: config.issuer },
  };
  const refreshKeys = async (): Promise<void> => {
    await keys.refresh();
    metrics.rotationDue.set(keys.rotationDueMs() / 1000);
  };
  let timer: NodeJS.Timeout | undefined;
  let following: Consumption | undefined;
  return {
    schemas: [authService(ports)],
    start: async () => {
      await refreshKeys();
      timer = setInterval(() => {
        refreshKeys().catch((error: Error) => log.warn('could not read signing keys', { error }));
      }, keyRefreshMs);
      following = await consumeDurable(durable, {
        stream: RoleStream,
        durable: 'auth-token-roles',
        handlers: [
          on(RolesChanged, async (change) => {
            if (!(await untilRolesAreRead({ callAction, wait: sleep }, change))) return;
            await endTokensOfVault({ ...ports, sessions }, rolesThrough(callAction), change);
          }),
        ],
      });
    },
    drain: async () => following?.stop(),
    stop: async () => clearInterval(timer),
  };
}

export const authDefinition = (config: AuthConfig): ServiceDefinition => ({
  name: 'auth',
  config,
  streams: [SessionStream, AuditStream, RoleStream],
  publishes: [SessionRevoked, AuditRecorded],
  outboxSweepMs: outboxSweepOfEndsMs,
  build: (context) => build(config, context),
});
