import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { devnetNetworks, priceIntervalOf } from '@castellan/devnet';

export type Options = {
  readonly fresh: boolean;
  readonly devnet: boolean;
  /** How many of the devnet's chains are started, from the first. */
  readonly chains: number;
  readonly gatewayPort: number;
  /** Added to every port, so that two systems can run side by side. */
  readonly portOffset: number;
  readonly stateDir: string;
  /** Least time between two prices of a vault of the devnet: `DEVNET_PRICE_INTERVAL_SECONDS`. */
  readonly priceIntervalSeconds: number;
  /** Each validator of the devnet is a process of its own, as operators run them: `DEVNET_VALIDATORS_APART`. */
  readonly validatorsApart: boolean;
  /** The development loop: processes restart when what they import changes, and the web is served from its sources. */
  readonly dev: boolean;
};

export const usage = `npm start -- [options], npm run dev -- [options]
  --fresh            forget stored state and begin with a new chain
  --port <n>         port of the web and the API (default 8080)
  --port-offset <n>  add n to every port, to run a second system beside the first
  --no-devnet        no local chain; set CHAINS to real ones
  --chains <n>       local chains: 1 (default) or 2
  --state-dir <dir>  where state lives (default .castellan)
  --dev              restart what a change concerns, serve the web from its sources (npm run dev)
  --help             this text`;

const port = (text: string, flag: string, least: number): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > 65_535) {
    throw new Error(`${flag} must be a whole number from ${least} to 65535, not "${text}".`);
  }
  return value;
};

function chainsOf(text: string): number {
  const most = devnetNetworks.length;
  if (!/^[1-9]$/.test(text) || Number(text) > most)
    throw new Error(`--chains must be a whole number from 1 to ${most}, not "${text}".`);
  return Number(text);
}

/** Reads the command line. @throws Error that names the flag or the variable and what is allowed. */
export function readOptions(
  args: string[],
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Options | 'help' {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      fresh: { type: 'boolean', default: false },
      devnet: { type: 'boolean', default: true },
      chains: { type: 'string', default: '1' },
      port: { type: 'string' },
      'port-offset': { type: 'string', default: '0' },
      'state-dir': { type: 'string', default: '.castellan' },
      dev: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const portOffset = port(values['port-offset'], '--port-offset', 0);
  return {
    fresh: values.fresh,
    devnet: values.devnet,
    chains: chainsOf(values.chains),
    portOffset,
    gatewayPort: values.port === undefined ? 8080 + portOffset : port(values.port, '--port', 1),
    dev: values.dev,
    stateDir: resolve(root, values['state-dir']),
    priceIntervalSeconds: priceIntervalOf(env),
    validatorsApart: env.DEVNET_VALIDATORS_APART === 'true',
  };
}
