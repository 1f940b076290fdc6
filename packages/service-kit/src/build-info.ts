import { Gauge, type Registry } from 'prom-client';
import type { Env } from './config-files.ts';

/** What runs here: the release and its commit, as the image names them, and the version of Node. */
export type BuildInfo = { version: string; commit: string; node: string };

/** Reads what the image says of itself; outside of an image there is no release. */
export const buildOf = (env: Env): BuildInfo => ({
  version: env.CASTELLAN_VERSION || '0.0.0-local',
  commit: env.CASTELLAN_COMMIT || 'unknown',
  node: process.version,
});

/** The build of this process. No setting: an image has one, whatever it is configured with. */
export const thisBuild: BuildInfo = buildOf(process.env);

/** Adds the metric that names the build. */
export function registerBuildInfo(registry: Registry, { version, commit, node }: BuildInfo = thisBuild): void {
  const labelNames = ['version', 'commit', 'node'];
  const help = 'Always 1; the labels name the build';
  new Gauge({ name: 'castellan_build_info', help, labelNames, registers: [registry] }).set(
    { version, commit, node },
    1,
  );
}
