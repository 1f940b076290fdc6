import type { PreparedCall, PreparedResource } from '@castellan/contracts';
import { ApiError, type Client } from '@castellan/sdk';
import type { Hex } from 'viem';
import { chain, until, untilRead } from '../system/actors.ts';
import { Account } from './account.ts';
import type { Verdict } from './checks.ts';
import { passTime } from './pass-time.ts';
import type { Vault } from './readers.ts';
import { signIn } from './sign-in.ts';

const manager = 1;
const paceMs = 2_000;
const tryMs = 20_000;
const doneMs = 300_000;
const atOnce = 10;
const turnsOfASignature = 20;
/**
 * Refusals that are right while the last blocks are others: what a reorganisation took away comes back, and until then the vault
 * is as it was before.
 */
const refusedForNow: ReadonlySet<string> = new Set(['STRATEGY_ALREADY_PAUSED', 'STRATEGY_NOT_PAUSED']);

const isFinal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && error.status !== 429 && !refusedForNow.has(error.code);

/**
 * Tries until there is an answer, or a refusal that another try would only repeat.
 * @param onFailure - Called for each try that had neither.
 */
async function insist<T>(
  what: string,
  ask: (signal: AbortSignal) => Promise<T>,
  onFailure: () => void = () => undefined,
): Promise<T> {
  return until(
    what,
    async () => {
      try {
        return await ask(AbortSignal.timeout(tryMs));
      } catch (error) {
        if (isFinal(error)) throw error;
        onFailure();
        return undefined;
      }
    },
    doneMs,
  );
}

const resourceOf = (client: Client, id: string) =>
  insist('the call', (signal) => client.getPrepared({ params: { id }, query: {}, signal }));

/** A call once it was followed to its end, or as it is when it never is: a reorganisation takes calls back for a while. */
async function ended(client: Client, id: string): Promise<PreparedResource> {
  const isEnded = ({ status }: PreparedResource) => status === 'verified';
  return untilRead(`${id} is followed to its end`, () => resourceOf(client, id), isEnded, doneMs).catch(() =>
    resourceOf(client, id),
  );
}

/** Asks for a few at once: an hour's calls would be more than the gateway answers one client at a time. */
async function inTurn<T, R>(all: readonly T[], ask: (one: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (let from = 0; from < all.length; from += atOnce)
    answers.push(...(await Promise.all(all.slice(from, from + atOnce).map(ask))));
  return answers;
}

type Sent = { id: string; tx_hash: string; name: string };

/**
 * A primary manager who changes a vault and takes it back, over and over: each call prepared, signed, sent and reported, and
 * waited for until the service says that the chain shows it.
 */
export class Sender {
  readonly sent: Sent[] = [];
  /** Changes that had to be asked for again. */
  failures = 0;
  readonly #vault: Vault;
  readonly #account = new Account(manager, 300_000n);
  readonly #firstBlock: Promise<bigint>;

  constructor(vault: Vault) {
    this.#vault = vault;
    this.#firstBlock = chain().getBlockNumber();
  }

  async run(stop: AbortSignal): Promise<void> {
    let { client } = await signIn(manager);
    const body = (turn: number) => ({ ...this.#vault, reason: `Turn ${turn} of the soak` });
    for (let turn = 1; !stop.aborted; turn += 1) {
      // Some changes need a signature of the last half an hour.
      if (turn % turnsOfASignature === 0) ({ client } = await signIn(manager));
      await this.#carryOut(client, (signal) => client.preparePause({ body: body(turn), signal }));
      await this.#carryOut(client, (signal) => client.prepareUnpause({ body: body(turn), signal }));
      await passTime(paceMs);
    }
  }

  async #carryOut(client: Client, prepare: (signal: AbortSignal) => Promise<PreparedCall>): Promise<void> {
    const failed = () => {
      this.failures += 1;
    };
    const call = await insist('a prepared call', prepare, failed);
    if (!call.simulation.ok) throw new Error(`${call.description}: ${call.simulation.revert_reason}`);
    const tx_hash = await this.#account.send(call);
    this.sent.push({ id: call.id, tx_hash, name: call.decoded.function });
    const report = (signal: AbortSignal) =>
      client.broadcastPrepared({ params: { id: call.id }, body: { tx_hash }, signal });
    await insist(`${call.id} reported`, report, failed);
    await untilRead(
      `${call.decoded.function} ${call.id} is verified`,
      async () => {
        await this.#account.sendAgain();
        return resourceOf(client, call.id);
      },
      ({ status }) => status === 'verified',
      doneMs,
    );
  }

  /** Each call that was sent is on the chain once, and the manager's account sent nothing else. */
  async verdict(): Promise<Verdict> {
    const { client } = await signIn(manager);
    await this.#account.sendAgain();
    const states = await inTurn(this.sent, ({ id }) => ended(client, id));
    const receipts = await inTurn(this.sent, async ({ tx_hash }) => ({
      tx_hash,
      status: await chain()
        .getTransactionReceipt({ hash: tx_hash as Hex })
        .then(
          ({ status }) => status,
          () => 'not on the chain',
        ),
    }));
    return {
      what: 'each prepared call that was sent is on the chain once and followed to its end',
      found: `${this.sent.length} calls since block ${await this.#firstBlock}`,
      faults: [
        ...states
          .filter(({ status }) => status !== 'verified')
          .map(({ id, status, history }) => `${id} is ${status}: ${history.map(({ state }) => state).join(', ')}`),
        ...receipts.filter(({ status }) => status !== 'success').map(({ tx_hash, status }) => `${tx_hash}: ${status}`),
        ...(await this.#account.faults()),
        ...(this.sent.length === 0 ? ['nothing was sent'] : []),
      ],
    };
  }
}
