import { addressesOf, addressOptions, get, type Scrape, scalar, scrapeOf, summed } from './scrape.ts';
import { type Command, jsonOption, jsonText } from './world.ts';

export const statusCommand: Command = {
  name: 'status',
  options: { ...addressOptions, ...jsonOption },
  async run(world, options) {
    const addresses = addressesOf(world, options);
    const scrape = await scrapeOf(world, addresses);
    const { status } = await get(world, addresses.health);
    const found = statusOf(scrape, status, world.now() / 1000);
    world.out(options.json ? jsonText(found) : summary(found));
    return found.is_up && status === 200 ? 0 : 1;
  },
};

const outcomes = ['success', 'failure', 'error', 'superseded', 'skipped'] as const;

/** What a node says of itself; null is what it does not say. */
function statusOf(scrape: Scrape, health: number, now: number) {
  const number = (name: string) => scalar(scrape, name) ?? null;
  const is = (name: string) => scalar(scrape, name) === 1;
  return {
    is_up: is('ocr2_up'),
    health,
    store_is_up: is('ocr2_db_up'),
    bus_is_up: is('ocr2_nats_up'),
    configuration: {
      version: number('ocr2_config_version'),
      signers: number('ocr2_config_signers'),
      f: number('ocr2_config_f'),
    },
    protocol: {
      epoch: number('ocr2_epoch'),
      round: number('ocr2_round'),
      leader: number('ocr2_leader'),
      is_leader: is('ocr2_is_leader'),
      completed_rounds: number('ocr2_completed_rounds_total'),
    },
    transmissions: Object.fromEntries(
      outcomes.map((outcome) => [outcome, summed(scrape, 'ocr2_transmit_total', { status: outcome })]),
    ),
    strategies: strategiesOf(scrape, now),
  };
}

function strategiesOf(scrape: Scrape, now: number) {
  const updates = scrape.get('ocr2_strategy_last_update_seconds') ?? [];
  return (scrape.get('ocr2_strategy_update_stale') ?? []).map(({ labels: { chain_id, strategy }, value }) => {
    const update = updates.find(({ labels }) => labels.chain_id === chain_id && labels.strategy === strategy);
    const age = update === undefined ? null : now - update.value;
    return { chain_id, strategy, updated_seconds_ago: age, is_stale: value === 1 };
  });
}

/** Seconds as people say them: `42 s`, `12 min`, `3 h 5 min`, `2 d 3 h`. */
export function ago(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 120) return `${whole} s`;
  if (whole < 7200) return `${Math.floor(whole / 60)} min`;
  if (whole < 172_800) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`;
}

type Status = ReturnType<typeof statusOf>;

function summary({ configuration, protocol, transmissions, strategies, ...node }: Status): string {
  const isUp = (up: boolean) => (up ? 'up' : 'down');
  const known = (value: number | null) => value ?? 'unknown';
  const { version, signers, f } = configuration;
  const { epoch, round, leader, is_leader, completed_rounds } = protocol;
  const sent = Object.entries(transmissions).map(([outcome, count]) => `${count} ${outcome}`);
  const lines = [
    `node           ${isUp(node.is_up)}, health ${node.health === 200 ? 'ok' : `failing (${node.health})`}`,
    `document store ${isUp(node.store_is_up)}, message bus ${isUp(node.bus_is_up)}`,
    `configuration  version ${known(version)}, ${known(signers)} signers, f ${known(f)}`,
    `protocol       epoch ${known(epoch)}, round ${known(round)}, leader ${known(leader)}${is_leader ? ' (this node)' : ''}, ${known(completed_rounds)} rounds completed`,
    `transmissions  ${sent.join(', ')}`,
    'strategies',
    ...(strategies.length === 0 ? ['  none known yet'] : strategies.map(strategyLine)),
  ];
  return `${lines.join('\n')}\n`;
}

function strategyLine({ strategy, chain_id, updated_seconds_ago, is_stale }: Status['strategies'][number]): string {
  const age = updated_seconds_ago === null ? 'never updated' : `updated ${ago(updated_seconds_ago)} ago`;
  return `  ${strategy} on chain ${chain_id}: ${age}${is_stale ? ', STALE' : ''}`;
}
