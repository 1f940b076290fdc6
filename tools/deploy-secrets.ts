import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeServers, writeDeploySecrets } from './castellan/secrets.ts';

/**
 * Makes what docker-compose.yml mounts as secrets, each in a file of its own that only its owner reads, and the keys of the
 * services: `sh tools/with-node.sh tools/deploy-secrets.ts`. It overwrites nothing. `castellan secrets` makes them elsewhere.
 */
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'deploy/secrets');
try {
  process.stdout.write(`${writeDeploySecrets(folder, composeServers)} secrets in ${folder}.\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
