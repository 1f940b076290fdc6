import type { Address, Hex } from 'viem';
import { encodePacked } from 'viem';
import type { ChainHook } from '../../hook-trees/adapters/active-hooks.mongo.ts';
import { calldataOf } from '../../hook-trees/domain/calldata.ts';
import type { Leg } from '../domain/legs.ts';
import { Refusal } from '../domain/refusal.ts';

/** What a hook call is made of. */
export type HookOrder = {
  action: Leg['action'];
  source: Address;
  /** What a claim pays and a swap gives. */
  token?: Address | undefined;
  asset: Address;
  strategy: Address;
  /** Assets for a deposit, the source's shares for a withdrawal, the token for a swap; of no meaning for a claim. `previous` for what comes out of the hook before it. */
  amount: bigint | 'previous';
  /** Values the strategy names itself, by the parameter's name. */
  given: Readonly<Record<string, unknown>>;
};

const owners = new Set(['owner', 'receiver', 'account', 'strategy']);
const amounts = new Set(['amount', 'assets', 'shares']);
/** How layouts call the flag by which a hook takes what the hook before it gave. */
const flags = new Set(['use_prev', 'usePrev', 'use_prev_hook_amount', 'usePrevHookAmount']);

/** What the parameters of hooks for rewards stand for, by their names. */
const rewardParams: Readonly<Record<string, Readonly<Record<string, 'source' | 'token' | 'asset'>>>> = {
  CLAIM: { distributor: 'source', token: 'token' },
  SWAP: { pool: 'source', token_in: 'token', token_out: 'asset' },
};

/** What a parameter that a leaf pins is given; undefined when nobody says. */
function pinnedValue({ name, ref_type }: ChainHook['inspect_params'][number], order: HookOrder): string | undefined {
  const { action, source, asset, strategy, given } = order;
  const ofReward = rewardParams[action];
  if (ofReward && Object.hasOwn(ofReward, name)) return order[ofReward[name] ?? 'source'];
  if (!ofReward && ref_type === 'yield_source') return source;
  if (!ofReward && ref_type === 'token') return asset;
  if (owners.has(name)) return strategy;
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * The fields of the size. Beside the flag the amount is 0: a hook that does not heed the flag then moves nothing, and the least that
 * must come out stops the call.
 * @throws Refusal HOOK_LAYOUT_UNSUPPORTED
 */
function sizeFields({ name, calldata }: ChainHook, pinned: Record<string, string>, amount: HookOrder['amount']) {
  const only = (solidityType: string, names: ReadonlySet<string>, what: string): string => {
    const fitting = calldata.filter(
      (field) => field.solidity_type === solidityType && names.has(field.name) && !(field.name in pinned),
    );
    const [field] = fitting;
    if (field && fitting.length === 1) return field.name;
    throw new Refusal('HOOK_LAYOUT_UNSUPPORTED', `${name} has not one field for ${what}.`);
  };
  const size = only('uint256', amounts, 'its amount');
  if (amount !== 'previous') return { [size]: `${amount}` };
  return { [size]: '0', [only('bool', flags, 'taking what the hook before it gave')]: 'true' };
}

/**
 * The hook's calldata for an order, by its layout in the registry.
 * @throws Refusal HOOK_PARAMS_MISSING, HOOK_LAYOUT_UNSUPPORTED.
 */
export function hookCalldataOf(hook: ChainHook, order: HookOrder): Hex {
  const params: Record<string, string> = {};
  for (const param of hook.inspect_params) {
    const value = pinnedValue(param, order);
    if (value === undefined)
      throw new Refusal('HOOK_PARAMS_MISSING', `${hook.name} pins ${param.name}, which the strategy does not give.`);
    params[param.name] = value;
  }
  // A claim takes all that there is.
  const sized = order.action === 'CLAIM' ? {} : sizeFields(hook, params, order.amount);
  try {
    return calldataOf(hook, { ...params, ...sized });
  } catch (error) {
    throw new Refusal('HOOK_PARAMS_MISSING', `A value does not fit ${hook.name}: ${(error as Error).message}`);
  }
}

/** Where the hook's own calldata must say the source is, for the event of the strategy to name it. */
export const namesSource = (calldata: Hex, source: Address): boolean =>
  calldata
    .slice(2)
    .toLowerCase()
    .includes(encodePacked(['address'], [source]).slice(2).toLowerCase());
