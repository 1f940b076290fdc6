import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCli } from './build-cli.ts';
import { buildReact } from './build-react.ts';
import { buildSdk } from './build-sdk.ts';
import { pack } from './pack.ts';

/**
 * Builds what is published to npm: `node tools/publish/main.ts <folder>`; then `npm publish <folder>/sdk`, `react`, `cli`. Beside each
 * folder is the file that is installed from until it is there.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder to build into.');
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const { GITHUB_REPOSITORY } = process.env;
const repository = GITHUB_REPOSITORY ? `https://github.com/${GITHUB_REPOSITORY}` : undefined;
await buildSdk(root, join(resolve(folder), 'sdk'), repository);
await buildReact(root, join(resolve(folder), 'react'), repository);
await buildCli(root, join(resolve(folder), 'cli'), repository);
for (const name of ['sdk', 'react', 'cli']) console.log(pack(join(resolve(folder), name)));
