import { type Client, createClient } from '@castellan/sdk';
import { account, baseUrl } from '../system/actors.ts';
import type { Answers } from './answers.ts';
import { passTime } from './pass-time.ts';
import { signIn } from './sign-in.ts';

const answerMs = 30_000;

export type Vault = { chain_id: number; vault_address: string };

/** What is asked of each service again and again, so that the gateway cannot answer from what it keeps. */
const questions = (client: Client, { chain_id, vault_address }: Vault, head: number) => {
  const query = { chain_id: `${chain_id}`, vault_address };
  return {
    gateway: (signal) => client.openidConfiguration({ signal }),
    auth: (signal, turn) =>
      client.createNonce({ body: { address: account(100_000 + turn).address, chain_id }, signal }),
    vaults: (signal) => client.listPrepared({ query: { ...query, limit: '1' }, signal }),
    analytics: (signal, turn) =>
      client.analyticsOverview({ params: query, query: { block: `${head - (turn % 500)}` }, signal }),
    users: (signal) => client.auditLogs({ query: { ...query, limit: '1' }, signal }),
    ai: (signal) => client.feed({ params: query, query: { limit: '1' }, signal }),
  } satisfies Record<string, (signal: AbortSignal, turn: number) => Promise<unknown>>;
};

/** What is asked, and how: `seed` and `head` say of which blocks and addresses. */
type Asking = {
  vault: Vault;
  answers: Answers;
  head: number;
  seed: number;
  asked: readonly string[];
  /** Between an answer and the next question to the same service. */
  paceMs: number;
};

/** Asks each of the services until the signal says that it is enough, each after its last answer. */
export async function ask(asking: Asking, stop: AbortSignal): Promise<void> {
  const { vault, answers, head, seed, asked, paceMs } = asking;
  const { token } = await signIn(1);
  const client = createClient({ baseUrl: baseUrl(), token });
  const wanted = Object.entries(questions(client, vault, head)).filter(([service]) => asked.includes(service));
  await Promise.all(
    wanted.map(async ([service, question]) => {
      for (let turn = seed; !stop.aborted; turn += 1) {
        try {
          await question(AbortSignal.timeout(answerMs), turn);
          answers.answered(service, Date.now());
        } catch (error) {
          answers.failed(service, (error as { code?: string }).code ?? (error as Error).message);
        }
        await passTime(paceMs);
      }
    }),
  );
}
