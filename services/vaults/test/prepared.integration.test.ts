import {
  AuditRecorded,
  AuditStream,
  BroadcastPrepared,
  type EventData,
  GetPauseProof,
  GetPrepared,
  ListPrepared,
  PrepareChange,
  type PreparedCall,
} from '@castellan/contracts';
import { followStream } from '@castellan/service-kit';
import { until } from '@castellan/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { one, person, who } from '../../../packages/protocol/test/test-chain.ts';
import { chain_id, VaultsSystem } from './harness.ts';

/** Prepared calls and the panic button through the service as it is composed: prepared, signed, followed, audited. */

/** One for each test: a vault that one of them paused takes no deposit of the next. */
let system: VaultsSystem;
beforeEach(async () => {
  system = await VaultsSystem.start(async () => undefined);
});
afterEach(async () => system?.stop());

const ref = () => ({ chain_id, vault_address: system.protocol.vault.address });
const prepare = async (kind: string, args: Record<string, unknown>, force = false) => {
  const { steps } = await system.call(PrepareChange, { ...ref(), kind, args, force } as never, who.main);
  return steps;
};
async function send({ to, data }: { to: string; data: string }, from: string = who.main): Promise<Hex> {
  const params = [{ from, to, data, gas: '0x1e8480' }];
  return (await system.chain.client.request({ method: 'eth_sendTransaction', params } as never)) as Hex;
}
const becomes = (id: string, status: string, wallet: Address = who.secondary) =>
  until(`the call is ${status}`, async () => {
    const now = await system.call(GetPrepared, { id }, wallet);
    return now.status === status ? now : undefined;
  });

async function audited(id: string): Promise<EventData<typeof AuditRecorded>[]> {
  const rows: EventData<typeof AuditRecorded>[] = [];
  const following = await followStream(system.durable, {
    stream: AuditStream,
    events: [AuditRecorded],
    from: 'start',
    onMessage: ({ data }) => void rows.push(data as EventData<typeof AuditRecorded>),
  });
  await following.caughtUp;
  await following.stop();
  return rows.filter(({ details }) => details.prepared_id === id);
}

/** It is prepared, signed, mined and verified, and every state is in the audit stream. */
async function pauseIsFollowedToItsEnd(): Promise<void> {
  const [call] = await prepare('pause', { reason: 'A drill.' });
  if (!call) throw new Error('no step');
  const hash = await send(call);
  await system.call(BroadcastPrepared, { id: call.id, tx_hash: hash }, who.main);
  await becomes(call.id, 'mined');
  await system.chain.client.mine({ blocks: 1 });
  const done = await becomes(call.id, 'verified');
  expect(done).toMatchObject({ kind: 'pause', reason: 'A drill.', tx_hash: hash, post_condition: { ok: true } });
  const rows = await until('its rows are in the stream', async () => {
    const found = await audited(call.id);
    return found.length === 5 ? found : undefined;
  });
  expect(rows.map(({ action_type, actor_wallet }) => [action_type, actor_wallet])).toEqual([
    ['call_prepared', who.main],
    ['call_broadcast', who.main],
    ['call_mined', null],
    ['call_confirmed', null],
    ['call_verified', null],
  ]);
  expect(rows[0]).toMatchObject({ category: 'call', details: { kind: 'pause', reason: 'A drill.', forced: false } });
  const { prepared } = await system.call(ListPrepared, { ...ref(), status: 'verified' }, who.secondary);
  expect(prepared.map(({ id }) => id)).toEqual([call.id]);
}

/** Both steps are kept, each verified by itself. */
async function changeOfTwoStepsIsVerified(): Promise<void> {
  const { upkeepToken } = system.protocol;
  await system.chain.send(who.main, upkeepToken, 'mint', [who.main, 1_000n]);
  const steps = await prepare('deposit_upkeep', { amount: '1000' });
  expect(steps.map(({ decoded }) => decoded.function)).toEqual(['approve', 'depositUpkeep']);
  for (const step of steps) {
    const hash = await send(step);
    await system.call(BroadcastPrepared, { id: step.id, tx_hash: hash }, who.main);
    await becomes(step.id, 'mined');
  }
  await system.chain.client.mine({ blocks: 2 });
  for (const { id } of steps) expect(await becomes(id, 'verified')).toMatchObject({ post_condition: { ok: true } });
}

/** What the chain refuses is kept as forced and ends as reverted. */
async function forcedPauseIsReverted(): Promise<void> {
  const [call] = await prepare('pause', { reason: 'Again.' }, true);
  if (!call) throw new Error('no step');
  expect(call.simulation).toEqual({ ok: false, revert_reason: 'STRATEGY_ALREADY_PAUSED' });
  const hash = await send(call);
  await system.call(BroadcastPrepared, { id: call.id, tx_hash: hash }, who.main);
  expect(await becomes(call.id, 'reverted')).toMatchObject({
    forced: true,
    revert_reason: 'STRATEGY_ALREADY_PAUSED',
  });
}

test('default: a stranger deposits, asks for a part back and cancels, each verified by the chain and in no list of managers', async () => {
  const wallet = who.stranger;
  await system.chain.send(wallet, system.protocol.asset, 'mint', [wallet, 1_000n * one]);
  const asked = async (kind: string, args: object) =>
    (await system.call(PrepareChange, { ...ref(), kind, args, force: false } as never, wallet)).steps;
  const done = async (step: PreparedCall) => {
    const tx_hash = await send(step, wallet);
    await system.call(BroadcastPrepared, { id: step.id, tx_hash }, wallet);
    await becomes(step.id, 'mined', wallet);
    await system.chain.client.mine({ blocks: 1 });
    expect(await becomes(step.id, 'verified', wallet)).toMatchObject({ post_condition: { ok: true } });
  };
  const steps = await asked('deposit', { assets: `${1_000n * one}` });
  expect(steps.map(({ decoded }) => decoded.function)).toEqual(['approve', 'deposit']);
  for (const step of steps) await done(step);
  const [request] = await asked('request_redemption', { shares: `${400n * one}` });
  await done(request as PreparedCall);
  const [cancellation] = await asked('cancel_redemption', {});
  await done(cancellation as PreparedCall);
  await expect(asked('claim_redemption', {})).rejects.toMatchObject({ code: 'INVALID_WITHDRAW_PRICE' });
  const { prepared } = await system.call(ListPrepared, ref(), who.main);
  expect(prepared).toEqual([]);
  for (const { id } of steps) expect(await audited(id)).toEqual([]);
});

test('default: a change is verified, also one of two transactions, and a forced one of what is done already ends as reverted', async () => {
  await pauseIsFollowedToItsEnd();
  await changeOfTwoStepsIsVerified();
  await forcedPauseIsReverted();
});

test('default: the panic button is proven without anybody asking, and its metrics show it', async () => {
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${system.monitoringPort}/metrics`)).text();
    return text.split('\n').find((line) => line.startsWith(`${name}{`));
  };
  const ofVault = async (name: string, value: RegExp) => {
    const line = await metric(name);
    return line?.includes(system.protocol.vault.address) && value.test(line);
  };
  await until('it is proven', () => ofVault('vaults_pause_proof_ok', / 1$/));
  await until('its age is there', () => ofVault('vaults_pause_proof_age_seconds', / \d/));
  const proof = await system.call(GetPauseProof, ref(), who.secondary);
  expect(proof).toMatchObject({ ok: true, interval_seconds: 3_600, is_stale: false });
  await expect(system.call(GetPauseProof, ref(), person(49).address)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
});
