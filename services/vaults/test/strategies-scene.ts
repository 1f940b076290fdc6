import {
  AuditRecorded,
  AuditStream,
  CreateStrategy,
  type EventData,
  type InputOf,
  ListStrategies,
  SetStrategyState,
} from '@castellan/contracts';
import { followStream } from '@castellan/service-kit';
import { expect } from '@jest/globals';
import { deposit, one, price, who } from '../../../packages/protocol/test/test-chain.ts';
import { chain_id, VaultsSystem } from './harness.ts';

/** Strategies through the service as it is composed, over a vault with two sources and a waiting redemption. */

export let system: VaultsSystem;
export async function startScene(): Promise<void> {
  system = await VaultsSystem.start(async (chain, protocol) => {
    const { strategy, sources, sourceOracle, vault } = protocol;
    for (const { address } of sources)
      await chain.send(who.main, strategy, 'manageYieldSource', [address, sourceOracle.address, 0]);
    await deposit(chain, protocol, who.alice, 1_000n * one);
    await price(chain, protocol, one);
    await chain.send(who.alice, vault, 'requestRedeem', [100n * one, who.alice, who.alice]);
  });
}

export const ref = () => ({ chain_id, vault_address: system.protocol.vault.address });
export const source = (index = 0) => system.protocol.sources[index]?.address as string;
export type Draft = InputOf<typeof CreateStrategy>;
export const aDraft = (id: string, over: Partial<Draft> = {}): Draft => ({
  ...ref(),
  id,
  name: `Strategy ${id}`,
  indicators: [{ alias: 'idle_share', expr: 'if(vault_tvl > 0, vault_free_assets / vault_tvl, 0)' }],
  rules: {
    type: 'AND',
    children: [
      { type: 'EXPR', expr: 'idle_share > 0.5' },
      { type: 'EXPR', expr: 'vault_free_assets > 1_000_000' },
    ],
  },
  action_config: action(),
  max_concurrent: 1,
  ...over,
});
export const action = (over: object = {}): Draft['action_config'] => ({
  action: 'DEPOSIT',
  size_expr: 'vault_free_assets - vault_redeem_queue_value',
  execution_name: 'Deposit into A',
  execution_address: system.protocol.depositHook.address,
  target_address: source(),
  ...over,
});
export const create = (id: string, over: Partial<Draft> = {}, wallet: string = who.main) =>
  system.call(CreateStrategy, aDraft(id, over), wallet);
export const refusal = (code: string) => expect.objectContaining({ code });
export const setState = (
  id: string,
  version: number,
  target_state: 'IDLE' | 'RUNNING' | 'ARCHIVED',
  more: object = {},
) => system.call(SetStrategyState, { id, version, target_state, ...more }, who.main);
export const lane = async (name: 'DEPOSIT' | 'WITHDRAWAL') => {
  const { strategies } = await system.call(ListStrategies, { ...ref(), lane: name }, who.main);
  return strategies.filter(({ priority }) => priority !== null).map(({ id, priority }) => [id, priority]);
};
export const exits = async () =>
  (await system.call(ListStrategies, { ...ref(), kind: 'EMERGENCY_EXIT' }, who.main)).strategies;

export async function audited(): Promise<EventData<typeof AuditRecorded>[]> {
  const rows: EventData<typeof AuditRecorded>[] = [];
  const following = await followStream(system.durable, {
    stream: AuditStream,
    events: [AuditRecorded],
    from: 'start',
    onMessage: ({ data }) => void rows.push(data as EventData<typeof AuditRecorded>),
  });
  await following.caughtUp;
  await following.stop();
  return rows;
}
