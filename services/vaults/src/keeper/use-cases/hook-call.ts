import type { Address, Hex } from 'viem';
import { encodePacked } from 'viem';
import type { ChainHook } from '../../hook-trees/adapters/active-hooks.mongo.ts';
import { calldataOf } from '../../hook-trees/domain/calldata.ts';
import { Refusal } from '../domain/refusal.ts';

/** What a hook call is made of. */
export type HookOrder = {
  action: 'DEPOSIT' | 'WITHDRAWAL';
  source: Address;
  asset: Address;
  strategy: Address;
  /** Assets for a deposit, the source's shares for a withdrawal. */
  amount: bigint;
  /** Values the strategy names itself, by the parameter's name. */
  given: Readonly<Record<string, unknown>>;
};

const owners = new Set(['owner', 'receiver', 'account', 'strategy']);
const amounts = new Set(['amount', 'assets', 'shares']);

/** What a parameter that a leaf pins is given; undefined when nobody says. */
function pinnedValue({ name, ref_type }: ChainHook['inspect_params'][number], order: HookOrder): string | undefined {
  const { source, asset, strategy, given } = order;
  if (ref_type === 'yield_source') return source;
  if (ref_type === 'token') return asset;
  if (owners.has(name)) return strategy;
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
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
  const sizes = hook.calldata.filter(
    ({ name, solidity_type }) => solidity_type === 'uint256' && amounts.has(name) && !(name in params),
  );
  const [size] = sizes;
  if (!size || sizes.length > 1)
    throw new Refusal('HOOK_LAYOUT_UNSUPPORTED', `${hook.name} has not one field for its amount.`);
  try {
    return calldataOf(hook, { ...params, [size.name]: `${order.amount}` });
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
