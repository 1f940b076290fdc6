import { type AbiEvent, type Address, decodeEventLog, type Hex, toEventSelector } from 'viem';
import { abiOf, type ContractKind } from './contracts.ts';
import { type Json, toJson } from './json.ts';

/** Which contract an address is; `address` is lower case. Undefined for addresses that are not ours. */
export type RoleOfAddress = (address: string) => ContractKind | undefined;

/** A log in words. `name` is null when its emitter or topic is unknown, or its data does not fit the event. */
export type ProtocolLog = { name: string | null; args: { [key: string]: Json }; contract: ContractKind | null };

const eventsByKind = new Map<ContractKind, Map<string, AbiEvent>>(
  Object.entries(abiOf).map(([kind, abi]) => [
    kind as ContractKind,
    new Map(abi.filter((item) => item.type === 'event').map((event) => [toEventSelector(event), event])),
  ]),
);

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
    const decoded = decodeEventLog({ abi: [event], topics: [topic0, ...rest], data: log.data, strict: true });
    const args = toJson(decoded.args ?? {});
    return { name: event.name, args: args as { [key: string]: Json }, contract };
  } catch {
    // A log that does not fit its event is data from outside, not a fault of ours: it is kept without a name.
    return unknown;
  }
}
