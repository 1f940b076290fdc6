import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
import { writeOperatorCommands } from './operator-commands.ts';
import { copyOutside } from './outside.ts';
import { bundledServices } from './programs.ts';

/**
 * Everything that a machine without this repository needs to run Castellan: `node tools/bundle/installation.ts <folder>`. All
 * services, the web, the documentation, the command line, the Node that they were built with, and the files of deploy/: docs/operations/install.md.
 */
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const [folder] = process.argv.slice(2);
if (folder === undefined || existsSync(folder)) {
  process.stderr.write('node tools/bundle/installation.ts <folder that is not there yet>\n');
  process.exit(2);
}
const outDir = resolve(folder);
await bundle(root, outDir, bundledServices);
for (const service of bundledServices) copyOutside(root, service, outDir);
writeOperatorCommands(outDir);
cpSync(process.execPath, join(outDir, 'bin/node'));

execFileSync(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
  cwd: join(root, 'web'),
  env: { ...process.env, NODE_ENV: 'production' },
  stdio: 'inherit',
});
cpSync(join(root, 'web/dist'), join(outDir, 'web/dist'), { recursive: true });
execFileSync(process.execPath, [join(root, 'docs/site/src/main.ts')], { cwd: root, stdio: 'inherit' });
cpSync(join(root, 'docs/site/dist'), join(outDir, 'docs/site/dist'), { recursive: true });

mkdirSync(join(outDir, 'deploy'));
for (const name of ['alertmanager', 'caddy', 'grafana', 'mongo', 'nats', 'prometheus', 'systemd', 'validators'])
  cpSync(join(root, 'deploy', name), join(outDir, 'deploy', name), { recursive: true });

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const commit =
  process.env.CASTELLAN_COMMIT || execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
writeFileSync(
  join(outDir, 'release.env'),
  `CASTELLAN_VERSION=${process.env.CASTELLAN_VERSION || version}\nCASTELLAN_COMMIT=${commit.trim()}\n`,
);
process.stdout.write(`${outDir} is ready: docs/operations/install.md says what to do with it.\n`);
