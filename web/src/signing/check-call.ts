import { decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { PreparedCall } from '../data/queries.ts';
import { sameAddress } from '../format/address.ts';

/** The calls this page can ask for. Decoding knows these and nothing else, so anything else cannot be signed here. */
const abi = parseAbi([
  'function addSecondaryManager(address strategy, address manager)',
  'function removeSecondaryManager(address strategy, address manager)',
]);

export type Intent = {
  function: 'addSecondaryManager' | 'removeSecondaryManager';
  chainId: number;
  strategy: string;
  manager: string;
};

export type Decoded = { function: string; args: readonly { name: string; value: string }[] };
export type Check = { decoded: Decoded | undefined; problems: readonly string[] };

function decode(data: string): Decoded | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi, data: data as Hex });
    const isWhole = encodeFunctionData({ abi, functionName, args }).toLowerCase() === data.toLowerCase();
    if (!isWhole) return undefined;
    const [strategy, manager] = args;
    return {
      function: functionName,
      args: [
        { name: 'strategy', value: strategy },
        { name: 'manager', value: manager },
      ],
    };
  } catch {
    // Calldata of another function: there is nothing to show, and the caller refuses it.
    return undefined;
  }
}

const nameOf = (signature: string): string => signature.split('(')[0] ?? '';
const argOf = (decoded: Decoded, name: string) => decoded.args.find((arg) => arg.name === name)?.value;

/**
 * Reads the calldata here, without the server's word for it, and compares it with what was asked for and with what the
 * server says it does. Any difference is a problem, and a call with a problem must not be signed.
 */
export function checkCall(call: PreparedCall, intent: Intent): Check {
  const problems: string[] = [];
  const decoded = decode(call.data);
  if (decoded === undefined) {
    problems.push('The calldata is not one of the calls this page knows.');
  } else {
    if (decoded.function !== intent.function) {
      problems.push(`The calldata calls ${decoded.function}, but you asked for ${intent.function}.`);
    }
    if (!sameAddress(argOf(decoded, 'strategy'), intent.strategy)) {
      problems.push('The calldata names the strategy of another vault.');
    }
    if (!sameAddress(argOf(decoded, 'manager'), intent.manager)) {
      problems.push('The calldata names another wallet than the one you entered.');
    }
    if (nameOf(call.decoded.function) !== decoded.function) {
      problems.push(`The server describes ${call.decoded.function}, but the calldata calls ${decoded.function}.`);
    }
    const told = Object.values(call.decoded.args).map((value) => String(value).toLowerCase());
    if (decoded.args.some(({ value }) => !told.includes(value.toLowerCase()))) {
      problems.push("The server's description names other arguments than the calldata.");
    }
  }
  if (call.chain_id !== intent.chainId) problems.push('The call is for another chain than this vault.');
  if (call.value !== '0') problems.push('The call sends native currency, which this change never needs.');
  return { decoded, problems };
}
