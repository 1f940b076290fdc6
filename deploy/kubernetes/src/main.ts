import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigurationFault } from './app.ts';
import { foreignSecretsOf } from './authorities.ts';
import { configurationSchema } from './configuration.ts';
import { outputOf, write } from './output.ts';
import { readConfiguration } from './read.ts';
import { repository } from './repository.ts';

const usage = `npm run kubernetes -- --config my.yaml --out folder
Writes manifests, the same as a Helm chart, and a script that makes the secrets; docs/operations/kubernetes.md says how they are used.
`;

const { values } = parseArgs({
  options: { config: { type: 'string' }, out: { type: 'string' }, schema: { type: 'boolean' } },
});

async function run(config: string, out: string): Promise<void> {
  const configuration = readConfiguration(config);
  const { files, secrets } = await outputOf(configuration);
  write(out, files);
  process.stdout.write(`${files.size} files in ${out}. They refer to these secrets, which must exist:\n`);
  for (const [secret, keys] of secrets) process.stdout.write(`  ${secret}: ${keys.join(', ')}\n`);
  for (const [secret, keys] of foreignSecretsOf(configuration))
    process.stdout.write(`  ${secret}: ${keys.join(', ')}, which create-secrets.sh does not make\n`);
}

if (values.schema) {
  const target = repository('deploy/kubernetes/configuration.schema.json');
  writeFileSync(target, `${JSON.stringify(configurationSchema(), null, 2)}\n`);
} else if (values.config && values.out) {
  await run(values.config, values.out).catch((error: unknown) => {
    if (!(error instanceof ConfigurationFault)) throw error;
    process.stderr.write(`${values.config}:\n${error.message}\n`);
    process.exitCode = 2;
  });
} else {
  process.stderr.write(usage);
  process.exitCode = 2;
}
