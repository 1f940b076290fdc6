import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildImages, imageOf } from './build.ts';
import { buildah } from './buildah.ts';
import { chosenServices } from './chosen.ts';
import { tryImages } from './try.ts';

/** Builds the images with buildah, starts them on this machine, or removes them: all, or some. See docs/operations/images.md. */
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const { version: released } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: 'string' },
    version: { type: 'string', default: released },
    commit: { type: 'string', default: 'unknown' },
    'port-offset': { type: 'string', default: '5000' },
    'state-dir': { type: 'string' },
  },
});
const { base, version, commit } = values;
const [asked = '', ...named] = positionals;
const services = chosenServices(named);
const work: Record<string, () => Promise<void> | void> = {
  build: () => buildImages(root, { base, version, commit, services }),
  try: () => tryImages(root, { version, services, portOffset: values['port-offset'], stateDir: values['state-dir'] }),
  remove: () => void buildah(['rmi', ...services.map(imageOf)]),
};
const chosen = work[asked];
if (chosen === undefined) {
  process.stderr.write(
    'tools/images/main.ts build|try|remove [service ...] [--base image] [--version v] [--commit c] [--port-offset n] [--state-dir folder]\n',
  );
  process.exit(2);
}
await chosen();
