import type { Hex } from 'viem';
import { chain, passTime } from './actors.ts';

/** Between two blocks of the devnet. */
const blockSeconds = 2;

const rpc = <T>(method: string, params: unknown[]): Promise<T> =>
  chain().request({ method, params } as never) as Promise<T>;

/** Replaces the last `depth` blocks by empty ones of the same height. @returns the signed transactions that were in them. */
export async function reorganise(depth: number): Promise<Hex[]> {
  const { timestamp } = await chain().getBlock();
  // A block that anvil makes while it takes others away stands on one that is gone: it makes none meanwhile.
  await rpc('evm_setIntervalMining', [0]);
  await rpc('anvil_mine', ['0x1']);
  const head = await chain().getBlockNumber();
  const gone = await Promise.all(
    Array.from({ length: depth }, (_, place) => chain().getBlock({ blockNumber: head - BigInt(depth - 1 - place) })),
  );
  const lost = gone.flatMap(({ transactions }) => transactions);
  const raw = await Promise.all(lost.map((hash) => rpc<Hex | null>('eth_getRawTransactionByHash', [hash])));
  await rpc('anvil_reorg', [depth, []]);
  await rpc('evm_setIntervalMining', [blockSeconds]);
  // Other tests move the clock, maybe in a block that is gone now. Validators sign nothing older than what they signed, and a fork
  // of a real chain is not minutes older.
  const back = Number(timestamp - (await chain().getBlock()).timestamp);
  if (back > 0) await passTime(back);
  return raw.filter((one) => one !== null);
}

/** What nodes of a real chain do with transactions of blocks that are gone: they stand for the next blocks again. */
export async function sendAgain(raw: readonly Hex[]): Promise<void> {
  // One that its sender has sent again itself, or replaced, is refused.
  for (const transaction of raw) await rpc('eth_sendRawTransaction', [transaction]).catch(() => undefined);
}
