import { addressesOf, addressOptions, get, type Scrape, scalar, scrapeOf, summed } from './scrape.ts';
import type { Command } from './world.ts';

export const statusCommand: Command = {
  name: 'status',
  options: addressOptions,
  async run(world, options) {
    const addresses = addressesOf(world, options);
    const scrape = await scrapeOf(world, addresses);
    const health = await get(world, addresses.health);
    world.out(summary(scrape, health.status, world.now() / 1000));
    return scalar(scrape, 'ocr2_up') === 1 && health.status === 200 ? 0 : 1;
  },
};

/** Seconds as people say them: `42 s`, `12 min`, `3 h 5 min`, `2 d 3 h`. */
export function ago(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 120) return `${whole} s`;
  if (whole < 7200) return `${Math.floor(whole / 60)} min`;
  if (whole < 172_800) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`;
}

function summary(scrape: Scrape, health: number, now: number): string {
  const number = (name: string) => scalar(scrape, name) ?? 'unknown';
  const isUp = (name: string) => (scalar(scrape, name) === 1 ? 'up' : 'down');
  const leads = scalar(scrape, 'ocr2_is_leader') === 1 ? ' (this node)' : '';
  const total = (status: string) => summed(scrape, 'ocr2_transmit_total', { status });
  const lines = [
    `node           ${isUp('ocr2_up')}, health ${health === 200 ? 'ok' : `failing (${health})`}`,
    `document store ${isUp('ocr2_db_up')}, message bus ${isUp('ocr2_nats_up')}`,
    `configuration  version ${number('ocr2_config_version')}, ${number('ocr2_config_signers')} signers, f ${number('ocr2_config_f')}`,
    `protocol       epoch ${number('ocr2_epoch')}, round ${number('ocr2_round')}, leader ${number('ocr2_leader')}${leads}, ${number('ocr2_completed_rounds_total')} rounds completed`,
    `transmissions  ${total('success')} success, ${total('failure')} failure, ${total('error')} error, ${total('superseded')} superseded, ${total('skipped')} skipped`,
    'strategies',
    ...strategyLines(scrape, now),
  ];
  return `${lines.join('\n')}\n`;
}

function strategyLines(scrape: Scrape, now: number): string[] {
  const updates = scrape.get('ocr2_strategy_last_update_seconds') ?? [];
  const known = scrape.get('ocr2_strategy_update_stale') ?? [];
  if (known.length === 0) return ['  none known yet'];
  return known.map(({ labels, value }) => {
    const update = updates.find(
      (other) => other.labels.chain_id === labels.chain_id && other.labels.strategy === labels.strategy,
    );
    const age = update ? `updated ${ago(now - update.value)} ago` : 'never updated';
    return `  ${labels.strategy} on chain ${labels.chain_id}: ${age}${value === 1 ? ', STALE' : ''}`;
  });
}
