import { erc20Abi } from '@castellan/chain';
import { type Address, decodeEventLog, type Hex, isAddressEqual } from 'viem';

type Log = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex };

/** What an account got and gave of a token over a transaction. Read from the token's own transfers. */
function transfersOf(logs: readonly Log[], token: Address, account: Address): { got: bigint; gave: bigint } {
  let [got, gave] = [0n, 0n];
  for (const log of logs) {
    // A token with ids in its third topic is none of these.
    if (!isAddressEqual(log.address, token) || log.topics.length !== 3) continue;
    const decoded = transferOf(log);
    if (!decoded) continue;
    if (isAddressEqual(decoded.to, account)) got += decoded.value;
    if (isAddressEqual(decoded.from, account)) gave += decoded.value;
  }
  return { got, gave };
}

/** What was moved from one token into another. */
type Swap = { tokenIn: Address; tokenOut: Address; amountIn: bigint; amountOut: bigint };

/**
 * What an account gave of one token and got of another over a transaction, with a step for each token between them.
 * @param through - The token that both sides passed through on the way; undefined where there is none.
 * @returns nothing unless the account has less of the first and more of the last.
 */
export function swapsOf(
  logs: readonly Log[],
  account: Address,
  { tokenIn, tokenOut, through }: Pick<Swap, 'tokenIn' | 'tokenOut'> & { through?: Address | undefined },
): Swap[] {
  const [first, last] = [transfersOf(logs, tokenIn, account), transfersOf(logs, tokenOut, account)];
  const [amountIn, amountOut] = [first.gave - first.got, last.got - last.gave];
  if (amountIn <= 0n || amountOut <= 0n) return [];
  const between = through && transfersOf(logs, through, account);
  if (!through || !between || between.got === 0n || between.gave === 0n)
    return [{ tokenIn, tokenOut, amountIn, amountOut }];
  return [
    { tokenIn, tokenOut: through, amountIn, amountOut: between.got },
    { tokenIn: through, tokenOut, amountIn: between.gave, amountOut },
  ];
}

/** What an account got of a token over a transaction for nothing that it gave, as by a claim. */
export function receivedOf(logs: readonly Log[], account: Address, token: Address): bigint {
  const { got, gave } = transfersOf(logs, token, account);
  return got > gave ? got - gave : 0n;
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
