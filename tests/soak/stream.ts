import { createClient } from '@castellan/sdk';
import { baseUrl, untilRead } from '../system/actors.ts';
import type { Verdict } from './checks.ts';
import { Heard, streamsAgree } from './heard.ts';
import { joinServers, PublishedUpdates } from './published-updates.ts';
import type { Vault } from './readers.ts';

/** For what is published before the end to arrive: a gateway that is away is waited for, and a listener comes back within this. */
const arrivedMs = 120_000;

/** Follows the updates of a vault, as a dashboard does, until the signal aborts. */
const listen = ({ chain_id, vault_address }: Vault, heard: Heard, signal: AbortSignal): Promise<void> =>
  createClient({ baseUrl: baseUrl() }).followVault({
    params: { chain_id: `${chain_id}`, vault_address },
    signal,
    retryMs: 200,
    onEvent: ({ id, update }) => {
      if (id === undefined) return;
      if (update.kind === 'vault') heard.vault(Number(id));
      else heard.update(Number(id));
    },
    onReset: () => heard.reset(),
    onInterrupted: () => {
      heard.interruptions += 1;
    },
  });

/** Two who listen to a vault, and one who reads beside them what was published. */
export class Listeners {
  readonly #vault: Vault;
  readonly #heard = [new Heard(), new Heard()];
  #published: PublishedUpdates | undefined;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  async run(stop: AbortSignal): Promise<void> {
    const published = await PublishedUpdates.open(this.#vault, await joinServers());
    this.#published = published;
    const over = new AbortController();
    const following = async () => {
      await published.run(stop);
      await untilRead('the end of the stream', () => published.isAtEnd().catch(() => false), Boolean, arrivedMs);
      const last = Math.max(0, ...[published.ids, published.vaults].map((numbers) => numbers.at(-1) ?? 0));
      const upTo = async () => this.#heard.map((heard) => heard.upTo);
      // One who does not get that far is found by the verdict.
      await untilRead('the last update', upTo, (all) => all.every((id) => id >= last), arrivedMs).catch(
        () => undefined,
      );
      over.abort();
    };
    const listening = this.#heard.map((heard) => listen(this.#vault, heard, over.signal));
    await Promise.all([...listening, following()]).finally(() => published.close());
  }

  verdict(): Verdict {
    if (!this.#published) throw new Error('Nobody has listened.');
    return streamsAgree(this.#heard, this.#published);
  }
}
