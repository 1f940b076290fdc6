import {
  AppError,
  type Caller,
  type GetStrategy,
  type ListStrategies,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import { lanes } from '@castellan/strategy';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { keyOf, refOf, requireStrategy, type StrategyPorts, visit, withinBinding } from '../access.ts';
import type { VaultKey } from '../adapters/strategies.mongo.ts';
import type { StrategyDocument } from '../domain/strategy.ts';
import { lexiconOf } from '../validate.ts';
import { turnYielder } from '../yield-turn.ts';
import { strategyView } from './strategy-view.ts';

/** Priorities by id, over all lanes. */
export async function prioritiesOf(
  ports: StrategyPorts,
  key: VaultKey,
  documents: readonly StrategyDocument[],
): Promise<Map<string, number>> {
  const orders = await ports.strategies.orders(key, documents);
  return new Map(Object.values(orders).flatMap((order) => order.map((id, index) => [id, index + 1] as const)));
}

/** Lane by lane in their order, archived ones last. */
export function sorted(
  documents: readonly StrategyDocument[],
  priorities: ReadonlyMap<string, number>,
): StrategyDocument[] {
  const place = ({ _id, lane }: StrategyDocument) => {
    const priority = priorities.get(_id);
    return priority === undefined ? Number.POSITIVE_INFINITY : lanes.indexOf(lane) * 1_000_000 + priority;
  };
  return [...documents].sort((a, b) => {
    const [first, second] = [place(a), place(b)];
    return first === second ? b.updated_at.localeCompare(a.updated_at) : first - second;
  });
}

/** @throws AppError ROLE_REQUIRED for the public where the vault is not public. */
async function audience(
  ports: StrategyPorts,
  ref: { chain_id: number; vault_address: string },
  caller: Caller | undefined,
) {
  const { snapshot, role } = await visit(ports, ref, caller);
  if (role === null && !snapshot.detail.activation.is_discoverable)
    throw new AppError('ROLE_REQUIRED', 'This vault is not public. Sign in with a wallet that has a role on it.');
  return { snapshot, isRedacted: role === null };
}

type Filters = Pick<ParamsOf<typeof ListStrategies>, 'kind' | 'state' | 'lane' | 'target_address'>;
const matches = (document: StrategyDocument, { kind, state, lane, target_address }: Filters): boolean =>
  (kind === undefined || document.kind === kind) &&
  (state === undefined || document.state === state) &&
  (lane === undefined || document.lane === lane) &&
  (target_address === undefined || document.target === target_address.toLowerCase());

export const listStrategies =
  (ports: StrategyPorts) =>
  async (
    params: ParamsOf<typeof ListStrategies>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof ListStrategies>> => {
    const { snapshot, isRedacted } = await audience(ports, params, caller);
    const lexicon = lexiconOf(snapshot);
    const documents = await ports.strategies.ofVault(keyOf(params));
    const priorities = await prioritiesOf(ports, keyOf(params), documents);
    const found = sorted(documents, priorities).filter((document) => matches(document, params));
    const page = found.slice(params.offset, params.offset + params.limit);
    const yieldTurn = turnYielder(ports.now);
    const strategies: ReturnType<typeof strategyView>[] = [];
    for (const document of page) {
      await yieldTurn();
      strategies.push(strategyView(document, { priority: priorities.get(document._id) ?? null, isRedacted, lexicon }));
    }
    return {
      strategies,
      total: found.length,
      has_more: params.offset + page.length < found.length,
      next_cursor: null,
    };
  };

/** A strategy with its priority, as managers see it. */
export async function viewOf(
  ports: StrategyPorts,
  document: StrategyDocument,
  { snapshot, isRedacted = false }: { snapshot: Snapshot; isRedacted?: boolean },
) {
  const key = { chainId: document.chain_id, vault: document.vault };
  const priorities = await prioritiesOf(ports, key, await ports.strategies.ofVault(key));
  const priority = priorities.get(document._id) ?? null;
  return strategyView(document, { priority, isRedacted, lexicon: lexiconOf(snapshot) });
}

export const getStrategy =
  (ports: StrategyPorts) =>
  async ({ id }: ParamsOf<typeof GetStrategy>, caller: Caller | undefined): Promise<ResultOf<typeof GetStrategy>> => {
    const document = await requireStrategy(ports, id);
    return viewOf(ports, document, await audience(ports, refOf(document), withinBinding(caller, document)));
  };
