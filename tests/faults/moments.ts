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
  return [...component.needs, 'killed' as const, 'frozen' as const].flatMap((away) => {
    const requests = world.requestsOf(away);
    return requests.flatMap((request, index) => {
      const between = `${requests[index - 1] ?? 'the start'} and ${request}`;
      return (['before', 'after'] as const).map((side) => ({ away, at: index + 1, side, between }));
    });
  });
}

/** What is between two requests of the same kinds is one place. Leases are asked for everywhere and decide nothing. */
function placesOf(moments: readonly Moment[], away: Moment['away']): Moment[][] {
  const concerned = moments.filter((moment) => moment.away === away && !moment.between.includes('leases.'));
  return [...Map.groupBy(concerned, ({ between }) => between).values()];
}

/** At how many places, at most, a part is away and a process stands still, and at how many it is killed. */
export type Places = { away: number; killed: number };

/** Some of the moments, the same ones for the same seed, spread over all places of each thing that can be away. */
export function chosen(moments: readonly Moment[], most: Places, seed: number): Moment[] {
  const chosenOf = (place: readonly Moment[], index: number) => place[(seed + index) % place.length] as Moment;
  return [...new Set(moments.map(({ away }) => away))].flatMap((away) => {
    const places = placesOf(moments, away);
    const stride = Math.max(1, Math.ceil(places.length / (away === 'killed' ? most.killed : most.away)));
    return places.filter((_, index) => index % stride === seed % stride).map(chosenOf);
  });
}

export const nameOf = ({ away, at, side, between }: Moment): string =>
  `${away} ${side} request ${at}, between ${between}`;
