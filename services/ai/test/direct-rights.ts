import type { Caller } from '@castellan/contracts';
import type { Rights } from '../src/context/rights.ts';
import { fakeServices } from './fake-services.ts';
import { caller as manager } from './fixtures.ts';

type Handler = (ctx: object) => Promise<unknown>;

/** The fake services called as functions, without a bus: for tests that ask them hundreds of times. */
export function directRights(caller: Caller = manager): Rights {
  const handlers = new Map(
    fakeServices([]).flatMap(({ name, actions = {} }) =>
      Object.values(actions).map((action): [string, Handler] => {
        const { name: own, handler } = action as unknown as { name: string; handler: Handler };
        return [`v1.${name}.${own}`, handler];
      }),
    ),
  );
  const callAction = async (action: { name: string }, params: unknown) => {
    const handler = handlers.get(action.name);
    if (!handler) throw new Error(`No fake answers ${action.name}.`);
    return handler({ params, meta: {}, locals: { proven: { caller } } });
  };
  return { caller, callAction: callAction as Rights['callAction'] };
}
