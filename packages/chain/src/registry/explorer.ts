/** What a block explorer has a page for. */
export type ExplorerPage = 'tx' | 'address' | 'block';

/**
 * Address of an explorer page.
 * @param explorerUrl - Base address of the chain's explorer; null where there is none (a devnet).
 * @param value - Transaction hash, address or block number.
 * @returns null without an explorer.
 */
export function explorerLink(
  explorerUrl: string | null,
  page: ExplorerPage,
  value: string | number | bigint,
): string | null {
  return explorerUrl === null ? null : `${explorerUrl.replace(/\/+$/, '')}/${page}/${encodeURIComponent(`${value}`)}`;
}
