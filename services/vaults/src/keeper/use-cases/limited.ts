import type { StrategyDocument } from '../../strategies/domain/strategy.ts';
import type { Reason } from '../domain/standing.ts';
import type { KeeperPorts } from '../ports.ts';

const MINUTE_MS = 60_000;
/** An exit that was refused is tried again with the first block after this: each try is an intent that is kept. */
const EXIT_AGAIN_MS = 10_000;

type Asked = { chain_id: number; vault: string };

/**
 * Why no further intent may be made for a strategy of the vault now. What one strategy was refused takes nothing from the others;
 * an exit has no limit but that it is not tried again at once.
 */
export async function limited(
  { strategies, intents, now }: Pick<KeeperPorts, 'strategies' | 'intents' | 'now'>,
  { chain_id: chainId, vault }: Asked,
  { _id, kind }: Pick<StrategyDocument, '_id' | 'kind'>,
): Promise<Reason | undefined> {
  const engine = await strategies.engine({ chainId, vault });
  if (engine.kill_switch) return { code: 'KILL_SWITCH', because: 'The kill switch of the vault is on.' };
  const since = (ms: number) => new Date(now() - ms);
  if (kind === 'EMERGENCY_EXIT') {
    const isSoon = (await intents.countSince(chainId, vault, since(EXIT_AGAIN_MS), { unsentOf: _id })) > 0;
    const because = `It was refused, and is tried again ${EXIT_AGAIN_MS / 1_000} seconds after that.`;
    return isSoon ? { code: 'RATE_LIMITED', because } : undefined;
  }
  const [active, sent, unsent] = await Promise.all([
    intents.active(chainId, vault),
    intents.countSince(chainId, vault, since(MINUTE_MS), 'sent'),
    intents.countSince(chainId, vault, since(MINUTE_MS), { unsentOf: _id }),
  ]);
  if (active.length >= engine.max_active_intents)
    return { code: 'MAX_ACTIVE_INTENTS', because: `${active.length} intents of the vault are not finished.` };
  if (sent + unsent < engine.max_intents_per_minute) return undefined;
  const because = `${sent} intents of the vault were sent in the last minute, and ${unsent} of this strategy were not.`;
  return { code: 'RATE_LIMITED', because };
}
