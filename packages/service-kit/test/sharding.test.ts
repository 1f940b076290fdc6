import { action } from '@castellan/contracts';
import { anAddress, testIdentity, until } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { z } from 'zod';
import { callAction, createBroker, createLogger, createRegistry, implement, sharedOutBy } from '../src/index.ts';

const WhoAnswers = action('v1.analytics.whoAnswers', {
  callers: { services: ['gateway'] },
  params: z.object({ vault_address: z.string() }),
  result: z.object({ node: z.string() }),
});
const vaults = Array.from({ length: 40 }, (_, index) => anAddress(index + 1));

async function start(service: string): Promise<ServiceBroker> {
  const broker = createBroker({
    service,
    nats: { url: 'inprocess:', namespace: 'sharding' },
    registry: createRegistry(service),
    log: createLogger({ service, level: 'silent' }),
    identity: testIdentity(),
  });
  const whoAnswers = {
    ...implement(WhoAnswers, () => ({ node: broker.nodeID })),
    ...sharedOutBy('vault_address'),
  };
  if (service === 'analytics')
    broker.createService({ name: 'analytics', version: 1, actions: { whoAnswers } } as unknown as ServiceSchema);
  await broker.start();
  return broker;
}

let callers: ServiceBroker[];
let instances: ServiceBroker[];
beforeAll(async () => {
  instances = await Promise.all([start('analytics'), start('analytics')]);
  callers = await Promise.all([start('gateway'), start('gateway')]);
});
afterAll(() => Promise.all([...callers, ...instances].map((broker) => broker.stop())));

type Endpoint = { id: string; state: boolean };
const endpointsOf = (broker: ServiceBroker): readonly Endpoint[] =>
  (
    broker.registry as unknown as {
      actions: { get(name: string): { endpoints: readonly Endpoint[] } | undefined };
    }
  ).actions.get(WhoAnswers.name)?.endpoints ?? [];

const nodesOf = (caller: ServiceBroker) =>
  Promise.all(vaults.map(async (vault_address) => (await callAction(caller, WhoAnswers, { vault_address })).node));
const [first, second] = [() => callers[0] as ServiceBroker, () => callers[1] as ServiceBroker];

test('behavior: a vault has the same instance for every caller, and the vaults are shared out among all', async () => {
  await until('both callers know both', () => callers.every((caller) => endpointsOf(caller).length === 2));
  const nodes = await nodesOf(first());
  expect(await nodesOf(first())).toEqual(nodes);
  expect(await nodesOf(second())).toEqual(nodes);
  const counts = instances.map(({ nodeID }) => nodes.filter((node) => node === nodeID).length);
  expect(Math.min(...counts)).toBeGreaterThan(vaults.length / 4);
});

test('behavior: while an instance cannot be asked the other answers for its vaults, and they return to it', async () => {
  await until('both callers know both', () => callers.every((caller) => endpointsOf(caller).length === 2));
  const before = await nodesOf(first());
  const [away, there] = endpointsOf(first()) as [Endpoint, Endpoint];
  away.state = false;
  // One instance would be asked without a strategy.
  const both = await nodesOf(first()).finally(() => {
    away.state = true;
  });
  expect(new Set(both)).toEqual(new Set([there.id]));
  expect(await nodesOf(first())).toEqual(before);
});

test('behavior: an instance that ends leaves its vaults to the others', async () => {
  const third = await start('analytics');
  await until('the third is known', () => endpointsOf(first()).length === 3);
  expect(await nodesOf(first())).toContain(third.nodeID);
  await third.stop();
  await until('the third is gone', () => endpointsOf(first()).length === 2);
  expect(await nodesOf(first())).not.toContain(third.nodeID);
});
