import {
  type ContractKind,
  decodeCall,
  erc20Abi,
  superVaultAbi,
  superVaultAggregatorAbi,
  superVaultStrategyAbi,
} from '@castellan/chain';
import type { ErrorCode, Precondition, PreparedChange, PreparedKind } from '@castellan/contracts';
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
} from 'viem';
import type {
  Change,
  ChangeCall,
  ChangeRequest,
  ChangeState,
  ChangeStep,
  ChangeTarget,
  KeptStep,
  PostCondition,
} from './change.ts';

/** What the kinds of change are put together from. */

type Name<A extends Abi> = ContractFunctionName<A, 'nonpayable'>;
type Args<A extends Abi, N extends Name<A>> = ContractFunctionArgs<A, 'nonpayable', N>;

function callOf(kind: ContractKind, to: Address, data: Hex): ChangeCall {
  const decoded = decodeCall(kind, data);
  if (!decoded) throw new Error(`What was encoded for the ${kind} does not decode.`);
  return { to, data, decoded };
}

const encode = (abi: Abi, functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName, args: [...args] });

/** A call of SuperVaultAggregator. */
export const toAggregator = <N extends Name<typeof superVaultAggregatorAbi>>(
  { aggregator }: ChangeTarget,
  name: N,
  args: Args<typeof superVaultAggregatorAbi, N>,
): ChangeCall => callOf('aggregator', aggregator, encode(superVaultAggregatorAbi, name, args as readonly unknown[]));

/** A call of SuperVaultStrategy. */
export const toStrategy = <N extends Name<typeof superVaultStrategyAbi>>(
  { strategy }: ChangeTarget,
  name: N,
  args: Args<typeof superVaultStrategyAbi, N>,
): ChangeCall => callOf('strategy', strategy, encode(superVaultStrategyAbi, name, args as readonly unknown[]));

/** A call of SuperVault. */
export const toVault = <N extends Name<typeof superVaultAbi>>(
  { vault }: ChangeTarget,
  name: N,
  args: Args<typeof superVaultAbi, N>,
): ChangeCall => callOf('vault', vault, encode(superVaultAbi, name, args as readonly unknown[]));

/** An ERC-20 `approve`; `amount` in base units of the token. */
export const toToken = (token: Address, spender: Address, amount: bigint): ChangeCall =>
  callOf('token', token, encode(erc20Abi, 'approve', [spender, amount]));

/** One check of the chain, or of ours, under the name it fails with. `detail` is true either way. */
export const check = (code: ErrorCode, ok: boolean, detail: string): Precondition => ({ code, ok, detail });

/** What a step changes, before and after. */
export const differs = (
  field: string,
  before: PreparedChange['before'],
  after: PreparedChange['after'],
): PreparedChange => ({ field, before, after });

/** What one field was to become. @throws Error for a field the step never had: a mistake of ours. */
export function afterOf(changes: readonly PreparedChange[], field: string): PreparedChange['after'] {
  const found = changes.find((change) => change.field === field);
  if (!found) throw new Error(`The step changes no ${field}.`);
  return found.after;
}

type Unauthorized = 'UNAUTHORIZED_UPDATE_AUTHORITY' | 'MANAGER_NOT_AUTHORIZED';

/** The contract takes it from the primary manager only. */
export const fromPrimary = (code: Unauthorized, { caller }: ChangeRequest, { vault }: ChangeState): Precondition =>
  check(
    code,
    isAddressEqual(caller, vault.primaryManager),
    `Only the primary manager ${vault.primaryManager} can make this call; it would come from ${caller}.`,
  );

/** The contract takes it from any manager. */
export function fromManager(code: Unauthorized, { caller }: ChangeRequest, { vault }: ChangeState): Precondition {
  const managers = [vault.primaryManager, ...vault.secondaryManagers];
  const isManager = managers.some((manager) => isAddressEqual(manager, caller));
  const role = isManager ? 'is one' : 'is not one';
  return check(code, isManager, `Only a manager of the vault can make this call; ${caller} ${role}.`);
}

/** What a step is made of: its request, the vault, and the state at one block. */
export type Context<K extends PreparedKind> = ChangeRequest<K> & {
  request: ChangeRequest<K>;
  target: ChangeTarget;
  state: ChangeState;
};

/** A step whose post-condition follows from its change. */
export type StepDraft = Omit<ChangeStep, 'postCondition'>;

/** A change of as many transactions as its steps. */
export const change = <K extends PreparedKind>(how: {
  role: Change['role'];
  needsStepUp: boolean;
  steps(context: Context<K>): StepDraft[];
  postCondition(kept: KeptStep<K>): PostCondition;
}): Change<K> => ({
  role: how.role,
  needsStepUp: how.needsStepUp,
  postCondition: how.postCondition,
  steps: (request, target, state) =>
    how.steps({ ...request, request, target, state }).map((draft) => {
      const kept = { request, function: draft.call.decoded.function, changes: draft.changes };
      return { ...draft, postCondition: how.postCondition(kept) };
    }),
});

/** A change of one transaction. */
export const single = <K extends PreparedKind>({
  step,
  ...how
}: {
  role: Change['role'];
  needsStepUp: boolean;
  step(context: Context<K>): StepDraft;
  postCondition(kept: KeptStep<K>): PostCondition;
}): Change<K> => change({ ...how, steps: (context) => [step(context)] });
