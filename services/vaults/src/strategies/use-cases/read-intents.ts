import {
  AppError,
  type Caller,
  type Fill,
  type GetIntent,
  type GetIntentFacets,
  type Intent,
  type ListFills,
  type ListIntentEvents,
  type ListIntentFills,
  type ListIntents,
  type ParamsOf,
  type ResultOf,
} from '@castellan/contracts';
import { invalidCursor } from '@castellan/service-kit';
import { forReaders, keyOf, refOf, requireBinding, requireReader, type StrategyPorts, vaultIdOf } from '../access.ts';
import { amountPlace, type Facet, type IntentDocument } from '../intents/store.mongo.ts';

type Filters = ParamsOf<typeof GetIntentFacets>;

const between = (from: string | undefined, to: string | undefined) =>
  from === undefined && to === undefined
    ? undefined
    : {
        ...(from === undefined ? {} : { $gte: new Date(from).toISOString() }),
        ...(to === undefined ? {} : { $lte: new Date(to).toISOString() }),
      };

const literal = (text: string): RegExp => new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');

const amounts = (min: string | undefined, max: string | undefined) =>
  min === undefined && max === undefined
    ? undefined
    : {
        ...(min === undefined ? {} : { $gte: amountPlace(min) }),
        ...(max === undefined ? {} : { $lte: amountPlace(max) }),
      };

/** The filter of the store for what was asked. */
export function intentFilter(asked: Filters): Record<string, unknown> {
  const created_at = between(asked.created_from, asked.created_to);
  const completed_at = between(asked.completed_from, asked.completed_to);
  const equal = {
    strategy_id: asked.strategy_id,
    action: asked.action,
    state: asked.state,
    token_in: asked.token_in,
    token_out: asked.token_out,
    error_code: asked.error_code,
    created_at,
    completed_at,
    amount_in_place: amounts(asked.amount_in_min, asked.amount_in_max),
  };
  const q = asked.q === undefined ? undefined : literal(asked.q);
  const plain = Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined));
  const fields = ['_id', 'strategy_id', 'error_code', 'error_message'];
  // Whichever of its forms was mined.
  const forms = asked.tx_hash && [{ 'transaction.hash': asked.tx_hash }, { tx_hashes: asked.tx_hash }];
  const choices = [...(q ? [fields.map((field) => ({ [field]: q }))] : []), ...(forms ? [forms] : [])];
  return choices.length > 0 ? { ...plain, $and: choices.map(($or) => ({ $or })) } : plain;
}

export const intentView = (document: IntentDocument): Intent => ({
  intent_id: document._id,
  execution_id: document.execution_id,
  correlation_id: document.correlation_id,
  strategy_id: document.strategy_id,
  vault_id: vaultIdOf(document.chain_id, document.vault_address),
  chain_id: document.chain_id,
  action: document.action,
  state: document.state,
  source: document.source,
  fills_count: document.fills.length,
  last_event_seq: document.last_event_seq,
  created_at: document.created_at,
  acked_at: document.acked_at,
  executing_at: document.executing_at,
  completed_at: document.completed_at,
  terminal_at: document.terminal_at,
  expires_at: document.expires_at,
  error_code: document.error_code,
  error_message: document.error_message,
  amount: document.amount,
  token_in: document.token_in,
  token_out: document.token_out,
  // Older documents name what was mined in their fills only.
  tx_hash: document.mined_hash ?? document.fills.at(-1)?.tx_hash ?? document.transaction?.hash ?? null,
  total_amount_in: document.total_amount_in,
  total_amount_out: document.total_amount_out,
  gas_used_total: document.gas_used_total,
  signal: document.signal,
});

const fillsOf = (document: IntentDocument): Fill[] =>
  document.fills.map((fill) => ({
    ...fill,
    intent_id: document._id,
    execution_id: document.execution_id,
    vault_id: vaultIdOf(document.chain_id, document.vault_address),
    chain_id: document.chain_id,
  }));

const queryOf = (ref: { chain_id: number; vault_address: string }, filter: Record<string, unknown>) => ({
  ...keyOf(ref),
  filter,
});

export const listIntents = (ports: StrategyPorts) =>
  forReaders(ports, async (params: ParamsOf<typeof ListIntents>): Promise<ResultOf<typeof ListIntents>> => {
    const page = await ports.intents.page(queryOf(params, intentFilter(params)), params.limit, params.cursor);
    if (!page) throw invalidCursor();
    const { items, ...rest } = page;
    return { intents: items.map(intentView), ...rest };
  });

const facets = ['state', 'action', 'chain_id', 'vault_address', 'strategy_id'] as const satisfies readonly Facet[];

export const getIntentFacets = (ports: StrategyPorts) =>
  forReaders(ports, async (params: Filters): Promise<ResultOf<typeof GetIntentFacets>> => {
    const counts = await ports.intents.facets(queryOf(params, intentFilter(params)), facets);
    const vault = counts.vault_address.map(({ value, count }) => ({ value: vaultIdOf(params.chain_id, value), count }));
    return { state: counts.state, action: counts.action, chain: counts.chain_id, vault, strategy: counts.strategy_id };
  });

async function requireIntent(ports: StrategyPorts, id: string, caller: Caller | undefined): Promise<IntentDocument> {
  const document = await ports.intents.get(id);
  if (!document)
    throw new AppError('INTENT_NOT_FOUND', 'There is no intent of this id. Check it, or list those of the vault.');
  requireBinding(caller, document);
  await requireReader(ports, refOf(document), caller);
  return document;
}

export const getIntent =
  (ports: StrategyPorts) =>
  async ({ id }: ParamsOf<typeof GetIntent>, caller: Caller | undefined): Promise<ResultOf<typeof GetIntent>> =>
    intentView(await requireIntent(ports, id, caller));

export const listIntentEvents =
  (ports: StrategyPorts) =>
  async (
    { id }: ParamsOf<typeof ListIntentEvents>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof ListIntentEvents>> => {
    const { _id, execution_id, events } = await requireIntent(ports, id, caller);
    return { events: events.map((event) => ({ ...event, intent_id: _id, execution_id })) };
  };

export const listIntentFills =
  (ports: StrategyPorts) =>
  async (
    { id }: ParamsOf<typeof ListIntentFills>,
    caller: Caller | undefined,
  ): Promise<ResultOf<typeof ListIntentFills>> => ({
    fills: fillsOf(await requireIntent(ports, id, caller)),
  });

/** Pages of intents that moved something: one intent's fills are never torn apart, so a page may hold a few more than asked. */
export const listFills = (ports: StrategyPorts) =>
  forReaders(ports, async (params: ParamsOf<typeof ListFills>): Promise<ResultOf<typeof ListFills>> => {
    const filter = {
      'fills.0': { $exists: true },
      ...(params.strategy_id === undefined ? {} : { strategy_id: params.strategy_id }),
    };
    const page = await ports.intents.page(queryOf(params, filter), params.limit, params.cursor);
    if (!page) throw invalidCursor();
    const { items, ...rest } = page;
    return { fills: items.flatMap(fillsOf), ...rest };
  });
