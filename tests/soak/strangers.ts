import type { Client } from '@castellan/sdk';
import { account, baseUrl, until } from '../system/actors.ts';
import type { Verdict } from './checks.ts';
import { passTime } from './pass-time.ts';
import type { Vault } from './readers.ts';
import { signIn } from './sign-in.ts';

const paceMs = 250;
const tryMs = 20_000;
const doneMs = 300_000;
/** What was opened for a role, or for a session, ends with it within this. */
const endedMs = 5_000;
const stranger = 50;
/** Whose view-only grant comes and goes. */
const guest = 70_000;

/** What a manager of the vault may read; a caller without a role, and nobody at all, may not. */
const pathsOf = ({ chain_id, vault_address }: Vault): string[] => {
  const query = `chain_id=${chain_id}&vault_address=${vault_address}`;
  return [
    `/api/v1/users?${query}`,
    `/api/v1/audit/logs?${query}`,
    `/api/v1/audit/export?${query}&format=json`,
    `/api/v1/prepared?${query}`,
    `/api/v1/alerts?${query}`,
    `/api/v1/vaults/${chain_id}/${vault_address}/timeline`,
    `/api/v1/vaults/${vault_address}/ai/analysis?chain_id=${chain_id}`,
  ];
};

/** Those who ask for what they may not read, over and over, and what they got. */
export class Strangers {
  readonly #vault: Vault;
  readonly #breaches: string[] = [];
  #asked = 0;
  #refused = 0;
  #allowed = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  async run(stop: AbortSignal): Promise<void> {
    const { token } = await signIn(stranger);
    await Promise.all([
      this.#knock('a stranger', token, stop),
      this.#knock('nobody', undefined, stop),
      this.#comeAndGo(stop),
      this.#endSessions(stop),
    ]);
  }

  verdict(): Verdict {
    return {
      what: 'nobody read what they may not',
      found: `${this.#refused} of ${this.#asked} requests refused, the others unanswered; ${this.#allowed} that were allowed answered`,
      faults: [
        ...this.#breaches,
        ...(this.#refused === 0 ? ['nothing was refused'] : []),
        ...(this.#allowed === 0 ? ['nothing was allowed'] : []),
      ],
    };
  }

  async #knock(who: string, token: string | undefined, stop: AbortSignal): Promise<void> {
    const paths = pathsOf(this.#vault);
    for (let turn = 0; !stop.aborted; turn += 1) {
      await this.mustNotRead(who, paths[turn % paths.length] as string, token);
      await passTime(paceMs);
    }
  }

  /** A grant that is taken back: until then the guest reads, and from some seconds after that no more. */
  async #comeAndGo(stop: AbortSignal): Promise<void> {
    const manager = (await signIn(1)).client;
    const { token } = await signIn(guest);
    const wallet_address = account(guest).address;
    const path = pathsOf(this.#vault).at(-2) as string;
    const query = { ...this.#vault, chain_id: `${this.#vault.chain_id}` };
    while (!stop.aborted) {
      await insist(() => manager.grantViewOnly({ body: { ...this.#vault, wallet_address, display_name: 'Guest' } }));
      await until('the guest reads', async () => (await status(path, token)) === 200, doneMs);
      this.#allowed += 1;
      await insist(() => manager.revokeViewOnly({ params: { wallet_address }, query }));
      await this.#staysOut('a guest whose grant was taken back', path, token);
    }
  }

  /** Sessions that are ended: no gateway takes their token any more. */
  async #endSessions(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const { client, token } = await signIn(2);
      const path = pathsOf(this.#vault)[0] as string;
      await until('the session reads', async () => (await status(path, token)) === 200, doneMs);
      this.#allowed += 1;
      await insist(() => logout(client));
      await this.#staysOut('a session that was ended', path, token);
    }
  }

  async #staysOut(who: string, path: string, token: string): Promise<void> {
    await passTime(endedMs);
    for (let times = 0; times < 10; times += 1) {
      await this.mustNotRead(who, path, token);
      await passTime(paceMs);
    }
  }

  /** Asks, and keeps it when there is an answer. */
  async mustNotRead(who: string, path: string, token: string | undefined): Promise<void> {
    const code = await status(path, token);
    this.#asked += 1;
    if (code !== undefined && code < 300) this.#breaches.push(`${new Date().toISOString()} ${who} read ${path}`);
    if (code === 401 || code === 403 || code === 404) this.#refused += 1;
  }
}

/** Without an answer of ours: undefined. */
const status = (path: string, token: string | undefined): Promise<number | undefined> =>
  fetch(`${baseUrl()}${path}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(tryMs),
  }).then(
    async (response) => {
      await response.body?.cancel();
      return response.status;
    },
    () => undefined,
  );

const insist = <T>(work: () => Promise<T>): Promise<T> =>
  until(
    'it is done',
    () =>
      work().then(
        (result) => result ?? (true as T),
        () => undefined,
      ),
    doneMs,
  );

/** A session that an earlier try has ended already is ended. */
const logout = (client: Client): Promise<unknown> =>
  client.logout({}).catch((error: { status?: number }) => {
    if (error.status !== 401) throw error;
  });
