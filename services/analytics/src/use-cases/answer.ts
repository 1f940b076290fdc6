import { getAddress } from 'viem/utils';
import { render, type Tree } from '../domain/figure.ts';
import type { Moment } from '../domain/moment.ts';
import { isoOf } from '../domain/timeline.ts';
import type { Asked } from './ports.ts';

/** An address as answers carry it. */
export const checksummed = (address: string): string => getAddress(address as `0x${string}`);

/** The command that computes a figure again from its receipt. */
const verifyCommand =
  ({ chain_id, vault_address }: Asked, block: number, path: string) =>
  (figure: string): string =>
    `npm run verify:receipt -- --chain ${chain_id} --vault ${vault_address} --block ${block} --read ${path} --figure ${figure}`;

/**
 * Renders the figures of an answer with the moment they are true for, what is not `ok`, and receipts when asked for.
 * @param path - Sub-path of the read, for the receipts' command.
 */
export function answer<T>(
  asked: Asked & { receipt: boolean },
  moment: Moment,
  path: string,
  tree: { [key: string]: Tree },
): T {
  const verify = asked.receipt ? verifyCommand(asked, moment.block, path) : null;
  const { body, quality, receipts } = render(tree, verify);
  return {
    chain_id: asked.chain_id,
    vault_address: checksummed(moment.history.identity.vault),
    as_of: isoOf(moment.time),
    block_number: moment.block,
    ...(body as object),
    quality,
    ...(asked.receipt ? { receipts } : {}),
  } as T;
}
