import { decodeProtocolLog, ecdsaPpsOracleAbi } from '@castellan/chain';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { encodeFunctionData, type Hex, numberToHex, parseGwei } from 'viem';
import {
  batchOf,
  type Entry,
  fundUpkeep,
  type Protocol,
  prices,
  setUp,
  TestChain,
  who,
} from '../../../../packages/protocol/test/test-chain.ts';
import type { SignedPrice } from '../../src/ports.ts';
import type { PriceContract } from '../../src/transmit/types.ts';
import { about, aManager, finish, World } from './harness.ts';

/** Against the contracts: what a good receipt may hide, and what others do to the price's own nonce. */

let chain: TestChain;
let protocol: Protocol;
let world: World;
let snapshot: Hex;
beforeAll(async () => {
  chain = await TestChain.start();
  protocol = await setUp(chain);
  world = await World.start({ chain: chain.anvil });
});
beforeEach(async () => {
  snapshot = await chain.client.snapshot();
});
afterEach(async () => {
  await chain.client.setAutomine(true);
  await chain.client.revert({ id: snapshot });
});
afterAll(async () => {
  await world?.stop();
  await chain?.stop();
});

const nonceOnChain = () => prices(chain, protocol).nonce();
const entryOf = ({ strategy, pps, timestamp, signatures }: SignedPrice): Entry => ({
  ...{ strategy, pps, timestamp, proofs: [...signatures] },
});

async function aSignedPrice(pps = 1_010_000n): Promise<SignedPrice> {
  const nonce = await nonceOnChain();
  const { strategy, timestamp, proofs } = await prices(chain, protocol).fresh(pps);
  return { chainId: 31_337, strategy, nonce, timestamp, pps, signatures: proofs, signers: [] };
}

/** As small as it can be: the node's own adapter does the same for whole batches. */
const contract: PriceContract = {
  pack: (batch) => {
    const { strategies, proofsArray, ppss, timestamps } = batchOf(batch.map(entryOf));
    const args = [{ strategies, proofsArray, ppss, timestamps }] as const;
    return {
      to: protocol.oracle.address,
      data: encodeFunctionData({ abi: ecdsaPpsOracleAbi, functionName: 'updatePPS', args }),
    };
  },
  stillUseful: async (batch) => {
    const current = await nonceOnChain();
    return batch.filter(({ nonce }) => nonce === current);
  },
  judge: ({ logs }, batch) => {
    const roles = new Map([
      [protocol.oracle.address.toLowerCase(), 'oracle'],
      [protocol.aggregator.address.toLowerCase(), 'aggregator'],
    ] as const);
    const names = logs.map((log) => decodeProtocolLog(log, (address) => roles.get(address as Hex)).name);
    const has = (name: string) => names.includes(name);

    return batch.map(({ strategy }) => {
      if (has('PPSUpdated')) return { strategy, status: 'success', reason: null };
      if (!has('PPSValidated')) return { strategy, status: 'superseded', reason: 'nonce_used' };
      return { strategy, status: 'failure', reason: names.at(-1) ?? 'not_stored' };
    });
  },
};

const running = () => aManager({ world, contract, changes: { maxAgeSeconds: 3_500 } });

/** The same signatures, by somebody else who pays more. */
const overtake = (price: SignedPrice, tip: string) =>
  chain.client.request({
    method: 'eth_sendTransaction',
    params: [
      {
        ...{ from: who.stranger, ...contract.pack([price]), gas: numberToHex(3_000_000) },
        maxFeePerGas: numberToHex(parseGwei('900')),
        maxPriorityFeePerGas: numberToHex(parseGwei(tip)),
      },
    ],
  } as never);

test('default: a stored price is a success', async () => {
  const node = await running();
  const price = await aSignedPrice();
  await chain.client.setAutomine(false);
  await node.manager.submit('good', [price], about);
  expect(await finish(world, node, 'good')).toBe('confirmed');
  expect((await node.manager.status('good'))?.outcomes).toMatchObject([{ status: 'success' }]);
  expect(await prices(chain, protocol).stored()).toBe(1_010_000n);
});

test('behavior: another submits our signatures in the same block, before us: superseded, not failed', async () => {
  const node = await running();
  const price = await aSignedPrice();
  await chain.client.setAutomine(false);
  await node.manager.submit('second', [price], about);
  await node.manager.step();
  await overtake(price, '50');
  expect(await finish(world, node, 'second')).toBe('superseded');
  expect(await node.manager.status('second')).toMatchObject({
    inclusion: { purpose: 'deliver', reverted: false },
    outcomes: [{ status: 'superseded', reason: 'nonce_used' }],
  });
  expect(await nonceOnChain()).toBe(price.nonce + 1n);
  expect(node.types()).not.toContain('failed');
});

test('behavior: another landed it while ours waits: ours becomes a self transfer, and the next one goes', async () => {
  const node = await running();
  const price = await aSignedPrice();
  await chain.client.setAutomine(false);
  await node.manager.submit('waits', [price], about);
  await node.manager.step();
  await chain.client.dropTransaction({ hash: (await node.manager.status('waits'))?.attempts[0]?.hash ?? '0x' });
  await overtake(price, '1');
  await world.mine();
  await node.manager.step();
  expect(await node.manager.status('waits')).toMatchObject({ cancelReason: 'useless' });
  expect(await finish(world, node, 'waits')).toBe('superseded');
  await chain.client.setAutomine(true);
  const next = await aSignedPrice(1_020_000n);
  await chain.client.setAutomine(false);
  await node.manager.submit('next', [next], about);
  expect(await finish(world, node, 'next')).toBe('confirmed');
  expect((await node.manager.status('next'))?.nonce).toBe(1);
  expect(await prices(chain, protocol).stored()).toBe(1_020_000n);
});

test('behavior: landed by another before it was sent: no transaction at all', async () => {
  const node = await running();
  const price = await aSignedPrice();
  await prices(chain, protocol).publish([entryOf(price)]);
  await node.manager.submit('nothing', [price], about);
  await node.manager.step();
  expect(await node.manager.status('nothing')).toMatchObject({ state: 'superseded', attempts: [] });
});

test('behavior: a paused strategy: the receipt is good, the price was not taken', async () => {
  const node = await running();
  const price = await aSignedPrice();
  await chain.send(who.main, protocol.aggregator, 'pauseStrategy', [protocol.strategy.address]);
  await chain.client.setAutomine(false);
  await node.manager.submit('paused', [price], about);
  expect(await finish(world, node, 'paused')).toBe('failed');
  expect(await node.manager.status('paused')).toMatchObject({
    inclusion: { reverted: false },
    outcomes: [{ status: 'failure', reason: 'PPSUpdateRejectedStrategyPaused' }],
  });
  // Its nonce is burnt: nothing is tried again.
  expect(await node.manager.status('paused:retry')).toBeNull();
});

test('behavior: an empty upkeep: the receipt is good, the vault pauses', async () => {
  const { aggregator, strategy } = protocol;
  await chain.send(who.main, aggregator, 'proposeWithdrawUpkeep', [strategy.address]);
  await chain.pass(86_400);
  await chain.send(who.stranger, aggregator, 'executeWithdrawUpkeep', [strategy.address]);
  await fundUpkeep(chain, protocol, 1n);
  const node = await running();
  const price = await aSignedPrice();
  await chain.client.setAutomine(false);
  await node.manager.submit('dry', [price], about);
  expect(await finish(world, node, 'dry')).toBe('failed');
  expect((await node.manager.status('dry'))?.outcomes).toMatchObject([
    { status: 'failure', reason: 'InsufficientUpkeep' },
  ]);
});
