import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf } from '@castellan/devnet';
import { demoWallets } from './demo-wallets.ts';
import { localChains, rpcUrlOf, type Settings } from './system.ts';

const row = (name: string, value: string, note = '') =>
  `  ${name.padEnd(18)}${note ? `${value.padEnd(44)}  ${note}` : value}\n`;

/** The table a newcomer reads: only what runs. */
export function summary(settings: Settings, seconds: number, webFromSources?: string): string {
  const { options, ports, publicUrl, natsUrl, store } = settings;
  let text = `\nCastellan is ready after ${seconds.toFixed(1)} s.\n\n`;
  text += webFromSources ? row('Dashboard', webFromSources, 'from its sources') : row('Dashboard', publicUrl);
  text += row('API', `${publicUrl}/api/v1`, `description: ${publicUrl}/docs/api`);
  text += row(
    'Documentation',
    `${publicUrl}/docs`,
    existsSync(join(settings.root, 'docs/site/dist/index.html')) ? '' : 'once built: npm run docs',
  );
  text += row(
    'Metrics',
    Object.values(ports.monitoring)
      .map((port) => `:${port}`)
      .join(' '),
    '/metrics /healthz /readyz',
  );
  text += row('Bus', natsUrl.replace(/\/\/[^@/]*@/, '//'));
  text += row('Documents', store.uriOf('gateway').replace(/\/\/[^@/]*@/, '//'));
  if (options.devnet) {
    for (const local of localChains(options, ports)) {
      const { chainId, blockTimeSeconds } = local.network;
      text += row('Chain', rpcUrlOf(local), `chain id ${chainId}, blocks every ${blockTimeSeconds} s`);
    }
    text += row(
      'Validators',
      ports.validators.map(({ metrics, health }) => `:${metrics} :${health}`).join(' '),
      'metrics and health of each',
    );
    text += '\n  Demo wallets (public test keys; never send value to them)\n';
    for (const { index, role } of demoWallets) text += row(`account ${index}`, addressOf(index), role);
  }
  text += `\n  Logs are in ${options.stateDir}/logs. Ctrl-C stops everything.\n`;
  return text;
}
