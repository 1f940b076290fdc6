import { getAddress } from 'viem/utils';
import { render, type Tree } from '../domain/figure.ts';
import type { Moment } from '../domain/moment.ts';
import { isoOf } from '../domain/timeline.ts';
import type { Asked } from './ports.ts';

/** An address as answers carry it. */
export const checksummed = (address: string): string => getAddress(address as `0x${string}`);

/** Of all figures, or of one and those below it. */
type WithReceipts = Asked & { receipt: boolean | string };

/** What a client would write into the query of the same read, apart from the moment and its receipts. */
function queryOf(asked: WithReceipts): string {
  const { chain_id: _chain, vault_address: _vault, at: _at, block: _block, receipt: _receipt, ...rest } = asked;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)]))).toString();
}

/** Whether the receipt of a figure is asked for. */
export const isWanted =
  (receipt: boolean | string) =>
  (figure: string): boolean =>
    receipt === true || figure === receipt || figure.startsWith(`${receipt}.`);

/** The command that computes a figure again from its receipt. */
export function verifyCommand(asked: WithReceipts, block: number, path: string): (figure: string) => string {
  const moment = asked.at === undefined ? `--block ${block}` : `--at ${asked.at}`;
  const query = queryOf(asked);
  const vault = `--chain ${asked.chain_id} --vault ${asked.vault_address} ${moment}`;
  const read = `--read ${path}${query === '' ? '' : ` --query "${query}"`}`;
  return (figure) => `castellan verify receipt ${vault} ${read} --figure ${figure}`;
}

/**
 * Renders the figures of an answer with the moment they are true for, what is not `ok`, and receipts when asked for.
 * @param path - Sub-path of the read, for the receipts' command.
 */
export function answer<T>(asked: WithReceipts, moment: Moment, path: string, tree: { [key: string]: Tree }): T {
  const { receipt: of } = asked;
  const verify = of === false ? null : verifyCommand(asked, moment.block, path);
  const { body, quality, receipts } = render(tree, verify, isWanted(of));
  return {
    chain_id: asked.chain_id,
    vault_address: checksummed(moment.history.identity.vault),
    as_of: isoOf(moment.time),
    block_number: moment.block,
    ...(body as object),
    quality,
    ...(of === false ? {} : { receipts }),
  } as T;
}
