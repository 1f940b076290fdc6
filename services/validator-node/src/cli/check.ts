import { parseDuration } from '../config/field.ts';
import { printDuration } from '../config/print.ts';
import { type Addresses, addressesOf, addressOptions, get, type Scrape, scalar, scrapeOf } from './scrape.ts';
import { type Command, integer, jsonOption, jsonText, type Options, text, UsageError, type World } from './world.ts';

const retryMs = 5000;

export const checkCommand: Command = {
  name: 'check',
  options: {
    ...addressOptions,
    'expect-version': { type: 'string', value: 'N', about: 'version the configuration must have' },
    'expect-signers': { type: 'string', value: 'N', about: 'signers the configuration must have' },
    within: {
      type: 'string',
      value: 'DURATION',
      about: 'longest wait for a new price of every strategy (default: 35m, one round of production)',
    },
    ...jsonOption,
  },
  async run(world, options) {
    const within = durationOf(options);
    const addresses = addressesOf(world, options);
    const steps = [
      () => checkHealth(world, addresses),
      () => checkConfig(world, addresses, options),
      () => checkAdvance(world, addresses, within),
    ];
    const done: Outcome[] = [];
    for (const step of steps) {
      const { ok, message } = await step();
      done.push({ ok, message });
      if (!options.json) world.out(`${done.length}/${steps.length} ${ok ? 'ok  ' : 'FAIL'} ${message}\n`);
      // Each step stands on the one before: with a wrong configuration, prices that advance prove nothing.
      if (!ok) break;
    }
    const isWell = done.every(({ ok }) => ok);
    if (options.json) world.out(jsonText({ ok: isWell, of: steps.length, steps: done }));
    return isWell ? 0 : 1;
  },
};

type Outcome = { ok: boolean; message: string };

function durationOf(options: Options): number {
  try {
    return parseDuration(text(options, 'within') ?? '35m');
  } catch (error) {
    throw new UsageError(`--within: ${(error as Error).message}`);
  }
}

async function checkHealth(world: World, { health }: Addresses): Promise<Outcome> {
  const { status, body } = await get(world, health);
  return { ok: status === 200, message: `health: ${status} ${body.trim()}` };
}

async function checkConfig(world: World, addresses: Addresses, options: Options): Promise<Outcome> {
  const scrape = await scrapeOf(world, addresses);
  const facts = [
    { what: 'version', found: scalar(scrape, 'ocr2_config_version'), wanted: integer(options, 'expect-version') },
    { what: 'signers', found: scalar(scrape, 'ocr2_config_signers'), wanted: integer(options, 'expect-signers') },
  ];
  const isRunning = (scalar(scrape, 'ocr2_config_version') ?? 0) > 0;
  const lines = facts.map(({ what, found, wanted }) => {
    const differs = wanted !== undefined && wanted !== found;
    return `${what} ${found ?? 'unknown'}${differs ? ` (expected ${wanted})` : ''}`;
  });
  const ok = isRunning && facts.every(({ found, wanted }) => wanted === undefined || wanted === found);
  return { ok, message: `configuration: ${isRunning ? lines.join(', ') : 'none is active'}` };
}

const updatesOf = (scrape: Scrape) =>
  new Map(
    (scrape.get('ocr2_strategy_last_update_seconds') ?? []).map(({ labels, value }) => [
      `${labels.strategy} on chain ${labels.chain_id}`,
      value,
    ]),
  );

const watchedBy = (scrape: Scrape) =>
  (scrape.get('ocr2_strategy_update_stale') ?? []).map(
    ({ labels }) => `${labels.strategy} on chain ${labels.chain_id}`,
  );

async function checkAdvance(world: World, addresses: Addresses, within: number): Promise<Outcome> {
  const deadline = world.now() + within;
  const first = await scrapeOf(world, addresses);
  const before = updatesOf(first);
  const watched = watchedBy(first);
  if (watched.length === 0) return { ok: false, message: 'prices: the node watches no strategy' };
  for (;;) {
    const now = updatesOf(await scrapeOf(world, addresses));
    const behind = watched.filter((strategy) => (now.get(strategy) ?? 0) <= (before.get(strategy) ?? 0));
    if (behind.length === 0) return { ok: true, message: `prices: ${watched.length} of ${watched.length} advanced` };
    if (world.now() + retryMs > deadline)
      return { ok: false, message: `prices: no new one within ${printDuration(within)} of ${behind.join(', ')}` };
    await world.sleep(retryMs);
  }
}
