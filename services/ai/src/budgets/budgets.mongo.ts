import { isDuplicateKey } from '@castellan/service-kit';
import type { Budgets } from './budgets.ts';
import type { BudgetCollections } from './collections.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Part of the contract of the chat. */
const messagesPerMinute = 20;

type Options = {
  budgets: BudgetCollections['budgets'];
  refreshPerHour: number;
  postsPerHour: number;
  agentRequestsPerMinute: number;
  dailyTokens: number;
  tokensPerText: number;
  now: () => number;
};

/** Budgets counted in the store, so that all processes share one count. */
export function mongoBudgets({
  budgets,
  refreshPerHour,
  postsPerHour,
  agentRequestsPerMinute,
  dailyTokens,
  tokensPerText,
  now,
}: Options): Budgets {
  const spend = async (id: string, amount: number, endsAt: number): Promise<number> => {
    const once = () =>
      budgets.findOneAndUpdate(
        { _id: id },
        { $inc: { spent: amount }, $setOnInsert: { expires_at: new Date(endsAt) } },
        { upsert: true, returnDocument: 'after' },
      );
    try {
      return (await once())?.spent ?? amount;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return (await once())?.spent ?? amount; // Two upserts met; the document exists now.
    }
  };
  /** Counts one use of a window; 0 within the limit, else the seconds until the next window. */
  const secondsUntilNext = async (name: string, windowMs: number, limit: number): Promise<number> => {
    const window = Math.floor(now() / windowMs);
    const endsAt = (window + 1) * windowMs;
    const spent = await spend(`${name}:${window}`, 1, endsAt);
    return spent <= limit ? 0 : Math.max(1, Math.ceil((endsAt - now()) / 1000));
  };
  /** One step: of many at once no more get tokens than there are for. @returns false when there are none. */
  const setAside = async (id: string, endsAt: number): Promise<boolean> => {
    if (dailyTokens === 0) return false;
    const left = { _id: id, spent: { $lt: dailyTokens } };
    const aside = { $inc: { spent: tokensPerText } };
    const begun = { ...aside, $setOnInsert: { expires_at: new Date(endsAt) } };
    try {
      await budgets.updateOne(left, begun, { upsert: true });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // Nothing is left, or two upserts met.
      return (await budgets.updateOne(left, aside)).matchedCount > 0;
    }
  };
  return {
    secondsUntilRefresh: (wallet) => secondsUntilNext(`refresh:${wallet.toLowerCase()}`, hourMs, refreshPerHour),
    secondsUntilMessage: (wallet) => secondsUntilNext(`chat:${wallet.toLowerCase()}`, minuteMs, messagesPerMinute),
    secondsUntilPost: (vault) => secondsUntilNext(`posts:${vault}`, hourMs, postsPerHour),
    secondsUntilAgentRequest: (wallet) =>
      secondsUntilNext(`agent:${wallet.toLowerCase()}`, minuteMs, agentRequestsPerMinute),
    async reserveTokens(vault) {
      const day = Math.floor(now() / dayMs);
      const _id = `tokens:${vault}:${day}`;
      if (!(await setAside(_id, (day + 1) * dayMs))) return undefined;
      return {
        settle: async (used) => void (await budgets.updateOne({ _id }, { $inc: { spent: used - tokensPerText } })),
      };
    },
  };
}
