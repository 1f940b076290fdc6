import { superVaultAbi, superVaultStrategyAbi } from '@castellan/chain';
import type { Intent, PublicVault } from '@castellan/contracts';
import { cast } from '@castellan/devnet';
import type { Client } from '@castellan/sdk';
import { encodeFunctionData, getAbiItem, type Hex, parseAbi, toFunctionSelector } from 'viem';
import { account, chain, untilRead } from '../system/actors.ts';
import { strategyScene } from '../system/strategy-scene.ts';
import { Account } from './account.ts';
import type { Verdict } from './checks.ts';
import { passTime } from './pass-time.ts';
import { signIn } from './sign-in.ts';

const depositor = 52;
const paceMs = 4_000;
const cooldownMs = 4_000;
const settledMs = 300_000;
const name = 'Idle assets to work';
const assetAbi = parseAbi([
  'function approve(address spender, uint256 value) returns (bool)',
  'function mint(address to, uint256 value)',
]);
/** The keeper's call that carries a strategy out. */
const executeHooks = toFunctionSelector(getAbiItem({ abi: superVaultStrategyAbi, name: 'executeHooks' }));

/** Deposits into a vault, and a strategy by which the keeper puts them to work, again and again. */
export class KeeperWork {
  readonly #vault: PublicVault;
  readonly #account = new Account(depositor, 600_000n);
  readonly #deposits: Hex[] = [];
  #firstBlock = 0n;
  #strategy = '';

  constructor(vault: PublicVault) {
    this.#vault = vault;
  }

  async start(): Promise<void> {
    const scene = await strategyScene(this.#vault);
    const { allocation } = await scene.client.vault({ params: this.#params() });
    const source = allocation.find(({ kind }) => kind === 'source');
    if (!source?.name) throw new Error('The vault has no source.');
    await scene.allowAllSources();
    this.#firstBlock = await chain().getBlockNumber();
    this.#strategy = await scene.deposits(name, source.name, cooldownMs);
    await this.#set(scene.client, 'RUNNING');
    const asset = this.#vault.underlying_asset_address;
    const me = account(depositor).address;
    await this.#send(asset, encodeFunctionData({ abi: assetAbi, functionName: 'mint', args: [me, 10n ** 15n] }));
    const approve = [this.#vault.vault_address as Hex, 10n ** 15n] as const;
    await this.#send(asset, encodeFunctionData({ abi: assetAbi, functionName: 'approve', args: approve }));
  }

  async run(stop: AbortSignal): Promise<void> {
    const args = [10_000_000n, account(depositor).address] as const;
    const data = encodeFunctionData({ abi: superVaultAbi, functionName: 'deposit', args });
    while (!stop.aborted) {
      await this.#account.sendAgain();
      await this.#send(this.#vault.vault_address, data);
      await passTime(paceMs);
    }
  }

  /** Each intent has one transaction at most, each that the chain has belongs to one intent, and each deposit was made once. */
  async verdict(): Promise<Verdict> {
    const { client } = await signIn(1);
    await this.#account.sendAgain();
    await this.#set(client, 'IDLE');
    const intents = await untilRead(
      'every intent has ended',
      () => this.#intents(client),
      (read) => read.every(({ terminal_at }) => terminal_at !== null),
      settledMs,
    );
    const mined = await this.#mined();
    const completed = intents.filter(({ state }) => state === 'COMPLETED');
    const intentsOf = (hash: string) => completed.filter(({ tx_hash }) => tx_hash === hash);
    const deposits = await Promise.all(this.#deposits.map((hash) => this.#isMined(hash)));
    return {
      what: 'the keeper sent no transaction twice',
      found: `${completed.length} of ${intents.length} intents completed, ${deposits.length} deposits`,
      faults: [
        ...mined
          .filter((hash) => intentsOf(hash).length !== 1)
          .map((hash) => `${hash} belongs to ${intentsOf(hash).length} completed intents`),
        ...completed
          .filter(({ tx_hash }) => !mined.some((hash) => hash === tx_hash))
          .map(({ intent_id, tx_hash }) => `${intent_id} is completed, and the chain has no ${tx_hash}`),
        ...this.#deposits
          .filter((_, place) => !deposits[place])
          .map((hash) => `the deposit ${hash} is not on the chain`),
        ...(completed.length === 0 ? ['no intent was completed'] : []),
      ],
    };
  }

  /** Successful transactions of the keeper that carry a strategy out. */
  async #mined(): Promise<Hex[]> {
    const keeper = account(cast.systemKeeper).address.toLowerCase();
    const found: Hex[] = [];
    const head = await chain().getBlockNumber();
    for (let blockNumber = this.#firstBlock; blockNumber <= head; blockNumber += 1n) {
      const { transactions } = await chain().getBlock({ blockNumber, includeTransactions: true });
      for (const { hash, from, input } of transactions)
        if (from === keeper && input.startsWith(executeHooks) && (await this.#isMined(hash))) found.push(hash);
    }
    return found;
  }

  async #isMined(hash: Hex): Promise<boolean> {
    const receipt = await chain()
      .getTransactionReceipt({ hash })
      .catch(() => undefined);
    return receipt?.status === 'success';
  }

  async #intents(client: Client): Promise<Intent[]> {
    const all: Intent[] = [];
    for (let cursor: string | undefined; ; ) {
      const query = { vault_id: this.#vaultId(), strategy_id: this.#strategy, limit: '500', cursor };
      const page = await client.listIntents({ query });
      all.push(...page.intents);
      if (page.next_cursor === null) return all;
      cursor = page.next_cursor;
    }
  }

  async #set(client: Client, target_state: 'RUNNING' | 'IDLE'): Promise<void> {
    const params = { id: this.#strategy };
    const { version } = await client.getStrategy({ params });
    await client.setStrategyState({ params, body: { version, target_state } });
  }

  async #send(to: string, data: Hex): Promise<void> {
    this.#deposits.push(await this.#account.send({ to, data }));
  }

  #vaultId(): string {
    return `${this.#vault.chain_id}:${this.#vault.vault_address}`;
  }

  #params() {
    return { chain_id: `${this.#vault.chain_id}`, vault_address: this.#vault.vault_address };
  }
}
