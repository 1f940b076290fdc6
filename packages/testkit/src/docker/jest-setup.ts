import { dockerFault } from './asked.ts';

/**
 * jest's `globalSetup` when `TESTCONTAINERS=1`. Without Docker the run fails, once and before any test, instead of falling back
 * to other servers than were asked for; on CI, where Docker may lawfully be absent, its tests are counted as skipped.
 */
export default async function requireDocker(): Promise<void> {
  const fault = await dockerFault();
  if (fault === undefined) return;
  if (process.env.CI !== 'true') throw new Error(`${fault} Start Docker, or unset TESTCONTAINERS.`);
  process.stdout.write(`${fault} CI=true: the integration tests are skipped.\n`);
  process.env.TESTCONTAINERS_SKIP = '1';
}
