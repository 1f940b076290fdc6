import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
import { writeOperatorCommands } from './operator-commands.ts';
import { copyOutside } from './outside.ts';
import { type BundledService, bundledServices } from './programs.ts';

/**
 * Bundles one service into a folder that needs nothing else but Node: `node tools/bundle/main.ts <service> <folder>`. The
 * packages that stay outside of the bundle are beside it, in `node_modules`. `all` bundles all services into a folder within this
 * repository, where these packages are found.
 */
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const [name, folder] = process.argv.slice(2);
const service = bundledServices.find((each) => each === name) as BundledService | undefined;
if ((service === undefined && name !== 'all') || folder === undefined) {
  process.stderr.write(`node tools/bundle/main.ts <${bundledServices.join('|')}|all> <folder>\n`);
  process.exit(2);
}
const outDir = resolve(folder);
await bundle(root, outDir, service ? [service] : bundledServices);
if (service) {
  copyOutside(root, service, outDir);
  writeOperatorCommands(outDir);
}
