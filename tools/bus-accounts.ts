import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { servicesConf } from '@castellan/service-kit';

/**
 * Writes `deploy/nats/castellan.conf`, the users and permissions of the services, from the contracts: `node tools/bus-accounts.ts`.
 * A test notices when it is stale.
 */
export const target = join(dirname(dirname(fileURLToPath(import.meta.url))), 'deploy/nats/castellan.conf');

if (import.meta.main) writeFileSync(target, servicesConf('castellan'));
