import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AuditRecorded,
  AuditStream,
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
  type ServiceContext,
  type ServiceDefinition,
  type ServiceParts,
} from '@castellan/service-kit';
import { untilRolesAreRead } from '@castellan/tokens';
import { mongoChallenges } from './adapters/challenges.mongo.ts';
import { mongoMinuteQuota } from './adapters/minute-quota.mongo.ts';
import { sealer } from './adapters/seal.ts';
import { mongoSessions } from './adapters/sessions.mongo.ts';
import { viemSignatures } from './adapters/signatures.viem.ts';
import { mongoKeyRing } from './adapters/signing-keys.mongo.ts';
import { joseTokenSigner } from './adapters/token-signer.jose.ts';
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

function build(config: AuthConfig, context: ServiceContext): ServiceParts {
  const { mongo, outbox, log, registry, durable, callAction } = context;
  const now = Date.now;
  const metrics = authMetrics(registry);
  const distrust: Distrust = (collection, id) => {
    metrics.distrusted.inc({ collection });
    log.error('ignored a stored document that is malformed or forged', { collection, id: String(id) });
  };
  const keys = mongoKeyRing({
    connection: mongo,
    recordWith: outbox.recordWith,
    sealer: sealer(config.keySecret, config.keySecretPrevious),
    distrust,
    rotationSeconds: config.keyRotationSeconds,
    activationSeconds,
    overlapSeconds: keyOverlapSeconds(config.sessionSeconds, leewaySeconds + keyRefreshMs / 1000),
    now,
  });
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
    signToken: joseTokenSigner({ keys, issuer: config.issuer, audience: config.audience }),
    makeSessionId: randomUUID,
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
  build: (context) => build(config, context),
});
