import { Address, AuditRecorded, AuditStream, FiguresStream, VaultMeasured } from '@castellan/contracts';
import { type Consumption, consumeDurable, on, type ServiceContext, type ServiceParts } from '@castellan/service-kit';
import { moveFormerEvents } from './access/former-events.ts';
import { AuditLog } from './audit/adapters/audit-log.mongo.ts';
import { LogFollower } from './audit/follower/log-follower.ts';
import { lastBackup } from './backups/last-backup.ts';
import { backupMetrics } from './backups/telemetry.ts';
import { openAlertCollections, openCollections } from './collections.ts';
import { composeAlerts } from './compose-alerts.ts';
import type { UsersConfig } from './config.ts';
import { type AttestationKeys, storedAttestationKeys } from './mandates/attestations/attestation-keys.ts';
import { openAttestationCollections } from './mandates/attestations/models/collections.ts';
import { remoteAttestationKeys } from './mandates/attestations/remote-keys.ts';
import { judgeInForce } from './mandates/judge-in-force.ts';
import { openMandateCollections } from './mandates/models/collections.ts';
import { openReportCollections } from './report/models/collections.ts';
import { openScenarioSets } from './scenarios/models/collections.ts';
import { alertActions, mandateActions, reportActions, scenarioActions, usersService } from './users.service.ts';

type Parts = Omit<Parameters<typeof storedAttestationKeys>[0], 'secret' | 'rotationSeconds'>;

/** Keys of a key service where some are named, else its own. */
function attestationKeysOf({ attestations, notifications }: UsersConfig, parts: Parts): AttestationKeys {
  const { kmsKeys, vaultTokenFile, keyRotationSeconds } = attestations;
  if (kmsKeys.length > 0) return remoteAttestationKeys(kmsKeys, vaultTokenFile);
  return storedAttestationKeys({ ...parts, secret: notifications.key, rotationSeconds: keyRotationSeconds });
}

/** Puts the service together: the actions, and what makes audit rows of others' writes and of changes on chain. */
export function compose(context: ServiceContext, config: UsersConfig): ServiceParts {
  const { mongo, outbox, durable, callAction, log, registry } = context;
  const now = () => new Date();
  const backup = lastBackup(mongo, now);
  backupMetrics(registry, backup.read);
  const collections = openCollections(mongo);
  const auditLog = new AuditLog(collections);
  const follower = new LogFollower({ collections, auditLog, mongo, callAction, log });
  const mandates = openMandateCollections(mongo);
  const attestations = openAttestationCollections(mongo);
  const attestationKeys = attestationKeysOf(config, { keys: attestations, outbox, auditLog, log, now });
  const attesting = { attestations, attestationKeys };
  const reporting = {
    collections,
    mandates,
    alerts: openAlertCollections(mongo),
    reports: openReportCollections(mongo),
  };
  let consuming: Consumption[] = [];
  const checksum = (address: string) => Address.parse(address);
  const alerting = composeAlerts(context, config, { collections, auditLog, checksum, now });
  return {
    schemas: [
      usersService(
        { collections, auditLog, outbox, now, checksum, log },
        {
          ...alertActions(alerting.deps),
          ...mandateActions({ collections, mandates, auditLog, outbox, checksum, now, ...attesting }),
          ...reportActions({ ...reporting, checksum, now }),
          ...scenarioActions({ collections, scenarios: openScenarioSets(mongo), auditLog, outbox, checksum, now }),
        },
      ),
    ],
    start: async () => {
      await backup.begin();
      await moveFormerEvents({ mongo, auditLog, outbox, log });
      // Published before it signs. Without it all else goes on.
      await attestationKeys.active().catch((error: Error) => log.error('no attestation can be signed', { error }));
      consuming = [
        await consumeDurable(durable, {
          stream: AuditStream,
          durable: 'users-audit',
          handlers: [on(AuditRecorded, (row) => auditLog.append(row))],
        }),
        await consumeDurable(durable, {
          stream: FiguresStream,
          durable: 'users-mandates',
          handlers: [
            on(VaultMeasured, judgeInForce({ mandates, auditLog, outbox, callAction, signal: alerting.signal })),
          ],
        }),
      ];
      await follower.start(durable);
      await alerting.start();
    },
    drain: async () => {
      await alerting.drain();
      for (const consumption of consuming) await consumption.stop();
      await follower.stop();
    },
  };
}
