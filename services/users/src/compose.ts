import { Address, AuditRecorded, AuditStream, ChainStream, LogAppended } from '@castellan/contracts';
import {
  type Consumption,
  consumeDurable,
  type Following,
  followStream,
  on,
  type ServiceContext,
  type ServiceParts,
} from '@castellan/service-kit';
import { AuditLog } from './adapters/audit-log.mongo.ts';
import { Ledger } from './adapters/ledger.mongo.ts';
import { LogFollower } from './follower/run.ts';
import { openCollections } from './models/collections.ts';
import { usersService } from './users.service.ts';

/** Puts the service together: the actions, and what makes audit rows of others' writes and of changes on chain. */
export function compose({ mongo, outbox, durable, callAction, log }: ServiceContext): ServiceParts {
  const now = () => new Date();
  const collections = openCollections(mongo);
  const auditLog = new AuditLog(collections);
  const ledger = new Ledger({ collections, auditLog, outbox, log });
  const follower = new LogFollower({ collections, auditLog, mongo, callAction, log, now });
  let consuming: Consumption | undefined;
  let following: Following | undefined;
  const checksum = (address: string) => Address.parse(address);
  return {
    schemas: [usersService({ collections, auditLog, ledger, now, checksum })],
    start: async () => {
      ledger.start();
      consuming = await consumeDurable(durable, {
        stream: AuditStream,
        durable: 'users-audit',
        handlers: [on(AuditRecorded, (row) => auditLog.append(row))],
      });
      following = await followStream(durable, {
        stream: ChainStream,
        events: [LogAppended],
        from: new Date(),
        onMessage: () => follower.wake(),
      });
      follower.start();
    },
    drain: async () => {
      ledger.stop();
      await following?.stop();
      await consuming?.stop();
      await follower.stop();
    },
  };
}
