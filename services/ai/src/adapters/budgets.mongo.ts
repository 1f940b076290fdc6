import { isDuplicateKey } from '@castellan/service-kit';
import type { Collections } from '../models/collections.ts';
import type { Budgets } from '../use-cases/ports.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;

type Options = {
  budgets: Collections['budgets'];
  refreshPerHour: number;
  postsPerHour: number;
  dailyTokens: number;
  now: () => number;
};

/** Budgets counted in the store, so that all processes share one count. */
export function mongoBudgets({ budgets, refreshPerHour, postsPerHour, dailyTokens, now }: Options): Budgets {
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
  /** Counts one of `most` in this hour. @returns the seconds until the next hour once they are spent, else 0. */
  const waitFor = async (id: string, most: number): Promise<number> => {
    const hour = Math.floor(now() / hourMs);
    const endsAt = (hour + 1) * hourMs;
    const spent = await spend(`${id}:${hour}`, 1, endsAt);
    return spent <= most ? 0 : Math.max(1, Math.ceil((endsAt - now()) / 1000));
  };
  const tokensId = (vault: string, day: number) => `tokens:${vault}:${day}`;
  return {
    secondsUntilRefresh: (wallet) => waitFor(`refresh:${wallet.toLowerCase()}`, refreshPerHour),
    secondsUntilPost: (vault) => waitFor(`posts:${vault}`, postsPerHour),
    async hasTokensLeft(vault) {
      const stored = await budgets.findOne({ _id: tokensId(vault, Math.floor(now() / dayMs)) });
      return (stored?.spent ?? 0) < dailyTokens;
    },
    async spendTokens(vault, tokens) {
      const day = Math.floor(now() / dayMs);
      if (tokens > 0) await spend(tokensId(vault, day), tokens, (day + 1) * dayMs);
    },
  };
}
