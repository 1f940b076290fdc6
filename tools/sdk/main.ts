import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSdk } from './build.ts';

/** Builds the SDK for publishing: `node tools/sdk/main.ts <folder>`; then `npm publish <folder>`. */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder to build into.');
await buildSdk(fileURLToPath(new URL('../..', import.meta.url)), resolve(folder));
