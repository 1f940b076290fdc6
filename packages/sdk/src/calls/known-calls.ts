import { type AbiFunction, decodeAbiParameters, encodeAbiParameters, parseAbi, toFunctionSelector } from 'viem';

/**
 * Every call a person can be asked to sign. Decoding knows these and nothing else, so that anything else cannot be
 * signed. Names of the arguments are those of the contracts, which the server uses too.
 */
export const knownSignatures = [
  'function addSecondaryManager(address strategy, address manager)',
  'function removeSecondaryManager(address strategy, address manager)',
  'function cancelChangePrimaryManager(address strategy)',
  'function proposeVaultFeeConfigUpdate(uint256 performanceFeeBps, uint256 managementFeeBps, address recipient)',
  'function executeVaultFeeConfigUpdate()',
  'function skimPerformanceFee()',
  'function updateDeviationThreshold(address strategy, uint256 deviationThreshold_)',
  'function managePPSExpiration(uint8 action, uint256 ppsExpiration)',
  'function proposeMinUpdateIntervalChange(address strategy, uint256 newMinUpdateInterval)',
  'function executeMinUpdateIntervalChange(address strategy)',
  'function cancelMinUpdateIntervalChange(address strategy)',
  'function approve(address spender, uint256 value)',
  'function depositUpkeep(address strategy, uint256 amount)',
  'function proposeWithdrawUpkeep(address strategy)',
  'function executeWithdrawUpkeep(address strategy)',
  'function pauseStrategy(address strategy)',
  'function unpauseStrategy(address strategy)',
  'function manageYieldSource(address source, address oracle, uint8 actionType)',
  'function manageYieldSources(address[] sources, address[] oracles, uint8[] actionTypes)',
  'function proposeStrategyHooksRoot(address strategy, bytes32 newRoot)',
  'function executeStrategyHooksRootUpdate(address strategy)',
  'function fulfillRedeemRequests(address[] controllers, uint256[] totalAssetsOut)',
  'function fulfillCancelRedeemRequests(address[] controllers)',
  'function changeGlobalLeavesStatus(bytes32[] leaves, bool[] statuses, address strategy)',
  'function deposit(uint256 assets, address receiver)',
  'function requestRedeem(uint256 shares, address controller, address owner)',
  'function cancelRedeemRequest(uint256 requestId, address controller)',
  'function withdraw(uint256 assets, address receiver, address controller)',
  'function claimCancelRedeemRequest(uint256 requestId, address receiver, address controller)',
] as const;

type NameIn<S extends string> = S extends `function ${infer Name}(${string}` ? Name : never;
/** The name of a function that is known. */
export type KnownFunction = NameIn<(typeof knownSignatures)[number]>;
/** Addresses EIP-55, integers in decimal. */
export type ArgValue = string | readonly string[];
/** An argument of a call, read from its bytes. */
export type DecodedArg = { name: string; type: string; value: ArgValue };
/** A call, read from its bytes. */
export type Decoded = { function: KnownFunction; args: readonly DecodedArg[] };

/** Made once: a search by viem hashes the name of each function again for every call. */
const bySelector: ReadonlyMap<string, AbiFunction> = new Map(
  parseAbi(knownSignatures).map((item) => [toFunctionSelector(item), item]),
);

const textOf = (value: unknown): ArgValue => (Array.isArray(value) ? value.map(String) : String(value));

/** What the bytes say, read here; undefined for a function that is not known, and for bytes that are not its whole call. */
export function decodeKnownCall(data: string): Decoded | undefined {
  const selector = data.slice(0, 10);
  const item = bySelector.get(selector);
  if (item === undefined) return undefined;
  try {
    const args = decodeAbiParameters(item.inputs, `0x${data.slice(10)}`);
    const again = `${selector}${encodeAbiParameters(item.inputs, args).slice(2)}`;
    // Of two byte strings that decode alike one is refused: only the one encoding there is may be signed.
    if (again.toLowerCase() !== data.toLowerCase()) return undefined;
    return {
      function: item.name as KnownFunction,
      args: item.inputs.map(({ name = '', type }, index) => ({ name, type, value: textOf(args[index]) })),
    };
  } catch {
    // Bytes that are no arguments of it: there is nothing to show, and the caller refuses them.
    return undefined;
  }
}

/** An argument by its name; undefined where the call has none of it. */
export const argOf = ({ args }: Decoded, name: string): ArgValue | undefined =>
  args.find((arg) => arg.name === name)?.value;
