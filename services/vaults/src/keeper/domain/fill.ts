import { erc20Abi } from '@castellan/chain';
import { type Address, decodeEventLog, type Hex, isAddressEqual } from 'viem';

type Log = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex };

/** What an account gained of a token over a transaction; negative when it gave. Read from the token's own transfers. */
export function netTransfer(logs: readonly Log[], token: Address, account: Address): bigint {
  let net = 0n;
  for (const log of logs) {
    // A token with ids in its third topic is none of these.
    if (!isAddressEqual(log.address, token) || log.topics.length !== 3) continue;
    const decoded = transferOf(log);
    if (!decoded) continue;
    if (isAddressEqual(decoded.to, account)) net += decoded.value;
    if (isAddressEqual(decoded.from, account)) net -= decoded.value;
  }
  return net;
}

function transferOf({ topics, data }: Log): { from: Address; to: Address; value: bigint } | undefined {
  try {
    const { eventName, args } = decodeEventLog({ abi: erc20Abi, topics: [...topics] as [Hex, ...Hex[]], data });
    return eventName === 'Transfer' ? args : undefined;
  } catch {
    // Another event of the token.
    return undefined;
  }
}
