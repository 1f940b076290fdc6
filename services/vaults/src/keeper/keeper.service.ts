import { GetKeeperStatus } from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import { getKeeperStatus, type StatusPorts } from './use-cases/status.ts';

/** That it answers under this name is what the alert about a missing keeper goes by. */
export const keeperService = (ports: StatusPorts): ServiceSchema => ({
  name: 'keeper',
  version: 1,
  actions: { status: implement(GetKeeperStatus, getKeeperStatus(ports)) },
});
