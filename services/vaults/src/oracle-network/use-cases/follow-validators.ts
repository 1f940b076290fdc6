import { ConfigChanged, RoundFinished, StrategyRecovered, StrategyStale, validatorEvents } from '@castellan/contracts';
import { on } from '@castellan/service-kit';
import type { ValidatorStore } from '../adapters/validator-network.mongo.ts';

/** Handlers of the validators' events: each says that its node is there. Safe to repeat. */
export function followValidators({ validators }: { validators: ValidatorStore }) {
  const withHandler = new Set<string>(
    [RoundFinished, ConfigChanged, StrategyStale, StrategyRecovered].map(({ name }) => name),
  );
  return [
    on(RoundFinished, async (event) => {
      await validators.heard(event);
      await validators.roundFinished(event);
    }),
    on(ConfigChanged, async (event) => {
      await validators.heard(event);
      await validators.configChanged(event);
    }),
    on(StrategyStale, async (event) => {
      await validators.heard(event);
      await validators.strategyChanged(event, true);
    }),
    on(StrategyRecovered, async (event) => {
      await validators.heard(event);
      await validators.strategyChanged(event, false);
    }),
    ...validatorEvents
      .filter(({ name }) => !withHandler.has(name))
      .map((event) => on(event, (data) => validators.heard(data))),
  ];
}
