import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reportOfSecrets, writeDeploySecrets } from './castellan/secrets.ts';

/**
 * Makes what docker-compose.yml mounts as secrets, each in a file of its own that only its owner reads, and the keys of the
 * services: `sh tools/with-node.sh tools/deploy-secrets.ts`. Run again, it makes what is missing and overwrites nothing. `castellan secrets`
 * makes them elsewhere.
 */
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'deploy/secrets');
try {
  process.stdout.write(reportOfSecrets(folder, writeDeploySecrets(folder)));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
