import { type AbiEvent, type AbiParameter, type Address, decodeAbiParameters, type Hex, toEventSelector } from 'viem';
import { abiOf, type ContractKind } from './contracts.ts';
import { type Json, namedArgs } from './json.ts';

/** Which contract an address is; `address` is lower case. Undefined for addresses that are not ours. */
export type RoleOfAddress = (address: string) => ContractKind | undefined;

/** A log in words. `name` is null when its emitter or topic is unknown, or its data does not fit the event. */
export type ProtocolLog = { name: string | null; args: { [key: string]: Json }; contract: ContractKind | null };

/** An event as it is decoded: which of its parameters are topics, and which are in the data. */
type EventLayout = { name: string; topics: readonly AbiParameter[]; data: readonly AbiParameter[] };

/** A topic is one word: of what is longer it holds the hash. */
const asTopic = (input: AbiParameter): AbiParameter =>
  /^(string|bytes|tuple)$|\]$/.test(input.type) ? { name: input.name ?? '', type: 'bytes32' } : input;

const layoutOf = ({ name, inputs }: AbiEvent): EventLayout => ({
  name,
  topics: inputs.filter(({ indexed }) => indexed).map(asTopic),
  data: inputs.filter(({ indexed }) => !indexed),
});

/** Made once: viem's `decodeEventLog` hashes the signature of an event for each log, which is half of what decoding costs. */
const eventsByKind = new Map<ContractKind, Map<string, EventLayout>>(
  Object.entries(abiOf).map(([kind, abi]) => [
    kind as ContractKind,
    new Map(abi.filter((item) => item.type === 'event').map((event) => [toEventSelector(event), layoutOf(event)])),
  ]),
);

const decoded = (parameters: readonly AbiParameter[], data: Hex): readonly unknown[] =>
  parameters.length === 0 ? [] : decodeAbiParameters(parameters, data);

/** @throws viem's errors when topics or data do not fit the event. */
function argsOf(
  { topics: indexed, data: others }: EventLayout,
  topics: readonly Hex[],
  data: Hex,
): ProtocolLog['args'] {
  if (topics.length < indexed.length) throw new RangeError('The log has fewer topics than its event.');
  const words = topics.slice(0, indexed.length).map((topic) => topic.slice(2));
  const values = [...decoded(indexed, `0x${words.join('')}`), ...decoded(others, data)];
  return namedArgs([...indexed, ...others], values);
}

/**
 * Decodes a log by the kind of the contract that emitted it, never by topic alone: `PPSUpdated`, `Initialized` and
 * `HighWaterMarkReset` mean different things in different contracts, and foreign contracts share our topics.
 * @returns Never throws: what cannot be read has `name: null` and no args. Args are JSON: amounts are decimal strings.
 */
export function decodeProtocolLog(
  log: { address: Address; topics: readonly Hex[]; data: Hex },
  roleOfAddress: RoleOfAddress,
): ProtocolLog {
  const contract = roleOfAddress(log.address.toLowerCase()) ?? null;
  const unknown: ProtocolLog = { name: null, args: {}, contract };
  const [topic0, ...rest] = log.topics;
  if (contract === null || topic0 === undefined) return unknown;
  const event = eventsByKind.get(contract)?.get(topic0.toLowerCase());
  if (event === undefined) return unknown;
  try {
    return { name: event.name, args: argsOf(event, rest, log.data), contract };
  } catch {
    // A log that does not fit its event is data from outside, not a fault of ours: it is kept without a name.
    return unknown;
  }
}
