import { chainClient, decodeRevert, loadChains } from '@castellan/chain';
import {
  type Caller,
  PrepareChange,
  type PreparedArgs,
  type PreparedCall,
  type PreparedKind,
} from '@castellan/contracts';
import { aVault, type BrokerPair, brokerPair } from '@castellan/testkit';
import { type Address, type Hex, numberToHex } from 'viem';
import { type Protocol, person, setUp, TestChain, who } from '../../../packages/protocol/test/test-chain.ts';
import type { KnownChain } from '../src/chains/chain-directory.ts';
import { rpcSimulate } from '../src/prepared-calls/changes/adapters/simulate.rpc.ts';
import { type ChangeReader, rpcChangeReader } from '../src/prepared-calls/changes/adapters/state.rpc.ts';
import type { ChangeState, PreparedDraft } from '../src/prepared-calls/changes/domain/change.ts';
import { type VaultsPorts, vaultsService } from '../src/vaults.service.ts';
import { inMemory, snapshotOf } from './in-memory-calls.ts';

/**
 * The prepare action over a bus and a chain of its own. What the service would have indexed is fixed: roles are those of the
 * vault's creation whatever happens on the chain, which may therefore travel in time and go back.
 */

export const chain_id = 31_337;
export const viewer = person(30).address;
const gas = numberToHex(5_000_000);

function knownChain(rpcUrl: string, { governor, aggregator, oracle }: Protocol): KnownChain {
  const [config] = loadChains(
    JSON.stringify([
      {
        chain_id,
        slug: 'anvil',
        name: 'Anvil',
        rpc_urls: [rpcUrl],
        governor: governor.address,
        aggregator: aggregator.address,
        pps_oracle: oracle.address,
        start_block: 0,
        block_time_seconds: 1,
        confirmations: 1,
        observation_cadence_seconds: 15,
      },
    ]),
  );
  if (!config) throw new Error('No chain was read.');
  const contracts = { governor: governor.address, aggregator: aggregator.address, ppsOracle: oracle.address };
  return { config, client: chainClient(config), contracts: async () => contracts, feeds: async () => [] };
}

export type Sent = { to: string; data: string };
export type Asked<K extends PreparedKind> = { kind: K; args: PreparedArgs<K>; wallet?: string; force?: boolean };

// No block is indexed, so what only the log would tell is read from the chain.
const status = { get: async () => ({ backfilled: true }) };
const log = { livingOfVault: async () => [] };
/** The root of no tree of the vault. */
export const strangeRoot: Hex = `0x${'5'.repeat(64)}`;
const treeLeaves = async (_chain: number, _vault: string, root: string) => (root === strangeRoot ? null : 2);

export class PrepareBench {
  chain!: TestChain;
  protocol!: Protocol;
  known!: KnownChain;
  /** Of the last request. */
  drafts: readonly PreparedDraft[] = [];
  #bus!: BrokerPair;
  #clean!: Hex;
  readonly #changes: ChangeReader = rpcChangeReader({ log, status, treeLeaves });

  static async start(): Promise<PrepareBench> {
    const bench = new PrepareBench();
    bench.chain = await TestChain.start();
    try {
      bench.protocol = await setUp(bench.chain);
      bench.known = knownChain(bench.chain.anvil.rpcUrl, bench.protocol);
      bench.#bus = await brokerPair(vaultsService(bench.#ports()));
      bench.#clean = await bench.chain.client.snapshot();
    } catch (error) {
      await bench.stop();
      throw error;
    }
    return bench;
  }

  async stop(): Promise<void> {
    await this.#bus?.stop();
    await this.chain.stop();
  }

  #ports(): VaultsPorts {
    const { vault, strategy } = this.protocol;
    const detail = aVault({ chain_id, vault_address: vault.address, strategy_address: strategy.address });
    const snapshot = snapshotOf(detail, who.main, [who.secondary]);
    return {
      chains: { get: () => this.known },
      status,
      snapshots: { get: async () => snapshot },
      directory: { viewers: async () => new Set([viewer.toLowerCase()]) },
      changes: this.#changes,
      simulate: rpcSimulate(),
      mandates: { inForce: async () => null },
      prepared: { unsentOf: async () => 0, takeBack: async () => undefined },
      keep: (drafts: PreparedDraft[]) => {
        this.drafts = drafts;
        return inMemory(drafts);
      },
      stepUpSeconds: 1_800,
      now: Date.now,
    } as unknown as VaultsPorts;
  }

  /** Back to the chain as it was set up. */
  async reset(): Promise<void> {
    await this.chain.client.revert({ id: this.#clean });
    this.#clean = await this.chain.client.snapshot();
  }

  async prepare<K extends PreparedKind>({ kind, args, wallet, force = false }: Asked<K>): Promise<PreparedCall[]> {
    const vault = { chain_id, vault_address: this.protocol.vault.address };
    const caller: Caller | undefined =
      wallet === undefined
        ? undefined
        : { wallet_address: wallet, sid: 'test', issuer: 'test', auth_time: Math.floor(Date.now() / 1000) };
    const params = { kind, ...vault, force, args } as never;
    return (await this.#bus.call(PrepareChange, params, { caller })).steps;
  }

  /** What the chain says now of what a draft is about. */
  stateFor({ target, request }: PreparedDraft): Promise<ChangeState> {
    return this.#changes.read(this.known, target, request);
  }

  /** Sends the very bytes. @returns `ok`, or the name of the error the transaction reverted with. */
  async send(from: Address, { to, data }: Sent): Promise<string> {
    const { client } = this.chain;
    const call = { from, to, data, gas };
    const before = numberToHex(await client.getBlockNumber());
    const hash = (await client.request({ method: 'eth_sendTransaction', params: [call] } as never)) as Hex;
    const { status } = await this.chain.receiptOf(hash);
    if (status === 'success') return 'ok';
    const asked = client.request({ method: 'eth_call', params: [call, before] } as never);
    return asked.then(
      () => 'reverted, though the call before it passes',
      (error: unknown) => decodeRevert(error)?.name ?? String(error),
    );
  }

  /** Sends as a contract, which has no key. */
  async sendAs(contract: Address, to: Address, data: Hex): Promise<void> {
    const { client } = this.chain;
    await client.impersonateAccount({ address: contract });
    await client.setBalance({ address: contract, value: 10n ** 18n });
    const outcome = await this.send(contract, { to, data });
    await client.stopImpersonatingAccount({ address: contract });
    if (outcome !== 'ok') throw new Error(`${contract} could not send: ${outcome}`);
  }
}
