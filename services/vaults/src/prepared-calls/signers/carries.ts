import type { Signer } from '@castellan/contracts';
import { type Address, decodeFunctionData, type Hex, isAddressEqual } from 'viem';
import { hexToBigInt, hexToNumber, size, slice } from 'viem/utils';
import { safeAbi } from './safe.ts';
import { timelockAbi } from './timelock.ts';

type Call = { to: Address; data: Hex };
type Sent = { from: Address; to: Address | null; input: Hex; value: bigint };

const isCall = (call: Call, to: Address, value: bigint, data: Hex): boolean =>
  value === 0n && isAddressEqual(to, call.to) && data.toLowerCase() === call.data.toLowerCase();

function decoded<A extends typeof safeAbi | typeof timelockAbi>(abi: A, data: Hex) {
  try {
    return decodeFunctionData({ abi, data });
  } catch {
    return undefined; // Another function: not one that carries calls.
  }
}

/** The calls in the bytes of a MultiSend: operation (1 byte), to (20), value (32), length (32), data, without padding. */
function callsOfMultiSend(bytes: Hex): { operation: number; to: Address; value: bigint; data: Hex }[] {
  const calls: { operation: number; to: Address; value: bigint; data: Hex }[] = [];
  const header = 85;
  for (let at = 0; at + header <= size(bytes); ) {
    const length = Number(hexToBigInt(slice(bytes, at + 53, at + header)));
    const end = at + header + length;
    if (end > size(bytes)) break;
    calls.push({
      operation: hexToNumber(slice(bytes, at, at + 1)),
      to: slice(bytes, at + 1, at + 21),
      value: hexToBigInt(slice(bytes, at + 21, at + 53)),
      data: length === 0 ? '0x' : slice(bytes, at + header, end),
    });
    at = end;
  }
  return calls;
}

function safeCarries(call: Call, input: Hex): boolean {
  const outer = decoded(safeAbi, input);
  if (outer?.functionName !== 'execTransaction') return false;
  const [to, value, data, operation] = outer.args;
  if (operation === 0) return isCall(call, to, value, data);
  const inner = decoded(safeAbi, data);
  if (inner?.functionName !== 'multiSend') return false;
  return callsOfMultiSend(inner.args[0]).some(
    (item) => item.operation === 0 && isCall(call, item.to, item.value, item.data),
  );
}

function timelockCarries(call: Call, input: Hex): boolean {
  const outer = decoded(timelockAbi, input);
  if (outer?.functionName === 'execute') return isCall(call, outer.args[0], outer.args[1], outer.args[2]);
  if (outer?.functionName !== 'executeBatch') return false;
  const [targets, values, payloads] = outer.args;
  return targets.some((to, index) => isCall(call, to, values[index] ?? 1n, payloads[index] ?? '0x'));
}

/** Of a contract of unknown kind: its transaction names the target and holds the calldata, wherever. */
const bytesHold = (call: Call, input: Hex): boolean => {
  const bytes = input.toLowerCase();
  return bytes.includes(call.data.slice(2).toLowerCase()) && bytes.includes(call.to.slice(2).toLowerCase());
};

/**
 * Whether a transaction makes this call as this signer. An account sends exactly the call itself; for a Safe, a timelock or
 * another contract anybody may send the transaction that makes the contract do it. A timelock's `schedule` does not: it only
 * announces the call.
 */
export function carries(call: Call, { kind, wallet_address }: Signer, { from, to, input, value }: Sent): boolean {
  const wallet = wallet_address as Address;
  if (to === null) return false;
  if (kind === 'eoa') return isAddressEqual(from, wallet) && isCall(call, to, value, input);
  if (kind === 'contract') return bytesHold(call, input);
  if (!isAddressEqual(to, wallet)) return false;
  return kind === 'safe' ? safeCarries(call, input) : timelockCarries(call, input);
}

/** Whether a transaction announces this call at the timelock that makes it. */
export function schedules(call: Call, { kind, wallet_address }: Signer, { to, input }: Sent): boolean {
  if (kind !== 'timelock' || to === null || !isAddressEqual(to, wallet_address as Address)) return false;
  const outer = decoded(timelockAbi, input);
  if (outer?.functionName === 'schedule') return isCall(call, outer.args[0], outer.args[1], outer.args[2]);
  if (outer?.functionName !== 'scheduleBatch') return false;
  const [targets, values, payloads] = outer.args;
  return targets.some((target, index) => isCall(call, target, values[index] ?? 1n, payloads[index] ?? '0x'));
}
