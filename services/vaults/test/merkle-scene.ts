import { hookLeaf } from '@castellan/chain';
import { GetMerkleJob, GetMerkleSync, type MerkleJob, PrepareChange, type PreparedCall } from '@castellan/contracts';
import { until } from '@castellan/testkit';
import { expect } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { argsOf, type Protocol, type TestChain, who } from '../../../packages/protocol/test/test-chain.ts';
import { chain_id, VaultsSystem } from './harness.ts';

/** What the steps of a hooks root have in common: the vault, the registry's ids, and the ways to the service and the chain. */

export const viewer = who.alice;
export let system: VaultsSystem;
export let chain: TestChain;
export let protocol: Protocol;
export let vault: { chain_id: number; vault_address: string };
export const hookIds = new Map<string, string>();

/** A vault with two sources and no root. */
export async function startScene(): Promise<void> {
  system = await VaultsSystem.start(async (on, { strategy, sources, sourceOracle }) => {
    for (const { address } of sources)
      await on.send(who.main, strategy, 'manageYieldSource', [address, sourceOracle.address, 0]);
  });
  ({ chain, protocol } = system);
  vault = { chain_id, vault_address: protocol.vault.address };
}

export const rowsFor = (sources: readonly Address[]) =>
  sources.flatMap((yield_source) => [
    { hook_id: hookIds.get('DEPOSIT') ?? '', params: { yield_source, token: protocol.asset.address } },
    { hook_id: hookIds.get('WITHDRAWAL') ?? '', params: { yield_source, owner: protocol.strategy.address } },
  ]);
export const leavesFor = (sources: readonly Address[]): Hex[] =>
  sources.flatMap((source) => [
    hookLeaf(protocol.depositHook.address, argsOf(source, protocol.asset.address)),
    hookLeaf(protocol.redeemHook.address, argsOf(source, protocol.strategy.address)),
  ]);
export const sync = () => system.call(GetMerkleSync, vault, who.main);
export const finished = async ({ id }: MerkleJob): Promise<MerkleJob> => {
  await until('the job is over', async () => {
    const { status } = await system.call(GetMerkleJob, { id }, who.main);
    return status === 'completed' || status === 'failed';
  });
  return system.call(GetMerkleJob, { id }, who.main);
};
export const prepare = async (kind: string, args: object = {}, wallet: string = who.main): Promise<PreparedCall> => {
  const { steps } = await system.call(PrepareChange, { kind, ...vault, args } as never, wallet);
  return steps[0] as PreparedCall;
};
export async function send(from: Address, { to, data }: PreparedCall): Promise<void> {
  const call = { from, to, data, gas: '0x4c4b40' };
  const hash = (await chain.client.request({ method: 'eth_sendTransaction', params: [call] } as never)) as Hex;
  const { status } = await chain.receiptOf(hash);
  expect(status).toBe('success');
  await system.indexed();
}
export type Proof = { hook_address: string; encoded_args: string; proof: readonly string[] };
export const validHooks = (leaves: readonly Proof[], under: 'strategyProof' | 'globalProof' = 'strategyProof') =>
  chain.read<boolean[]>(protocol.aggregator, 'validateHooks', [
    protocol.strategy.address,
    leaves.map(({ hook_address, encoded_args, proof }) => ({
      hookAddress: hook_address,
      hookArgs: encoded_args,
      globalProof: [],
      strategyProof: [],
      [under]: proof,
    })),
  ]);
export const sourcesOf = () => protocol.sources.map(({ address }) => address);
