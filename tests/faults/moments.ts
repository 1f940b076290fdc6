import type { TestStore } from '@castellan/testkit';
import { alertDeliveries } from './components/alert-deliveries.ts';
import { alertEvaluator } from './components/alert-evaluator.ts';
import { analyticsProjector } from './components/analytics-projector.ts';
import { auditConsumer } from './components/audit-consumer.ts';
import { auditFollower } from './components/audit-follower.ts';
import { outboxPublisher } from './components/outbox-publisher.ts';
import { vaultsIndexer } from './components/vaults-indexer.ts';
import { type Component, play } from './play.ts';
import { isKept } from './statement.ts';
import type { Moment } from './world.ts';

export const components: readonly Component[] = [
  vaultsIndexer,
  auditFollower,
  auditConsumer,
  outboxPublisher,
  analyticsProjector,
  alertEvaluator,
  alertDeliveries,
];

/**
 * Every moment of a component: each part it needs away before and after each request to it, and the process itself killed or
 * standing still around each of its requests. They are counted in a run without faults, whose accounts must be kept as well.
 */
export async function momentsOf(component: Component, store: TestStore): Promise<Moment[]> {
  const { statements, world } = await play(component, store);
  if (!Object.values(statements).every(isKept))
    throw new Error(`${component.name} fails without any fault: ${JSON.stringify(statements)}`);
  return [...component.needs, 'killed' as const, 'frozen' as const].flatMap((away) =>
    Array.from({ length: world.requestsOf(away) }, (_, index) => index + 1).flatMap((at) =>
      (['before', 'after'] as const).map((side) => ({ away, at, side })),
    ),
  );
}

/** Some of the moments, spread over all that can be away; the same ones for the same seed. */
export function chosen(moments: readonly Moment[], each: number, seed: number): Moment[] {
  const byAway = Map.groupBy(moments, ({ away }) => away);
  return [...byAway.values()].flatMap((group) => {
    const stride = Math.max(1, Math.floor(group.length / each));
    return group.filter((_, index) => index % stride === seed % stride).slice(0, each);
  });
}

export const nameOf = ({ away, at, side }: Moment): string => `${away} ${side} request ${at}`;
