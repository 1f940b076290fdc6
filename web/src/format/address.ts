/** An address or hash shortened for reading: 0x1234…abcd. */
export const shortHex = (value: string): string => `${value.slice(0, 6)}…${value.slice(-4)}`;

/** True when two addresses are the same wallet, whatever their case. */
export const sameAddress = (left: string | null | undefined, right: string | null | undefined): boolean =>
  left != null && right != null && left.toLowerCase() === right.toLowerCase();

/** A person's name: the display name, else the short address. */
export const nameOf = (wallet: { wallet_address: string; display_name: string | null }): string =>
  wallet.display_name ?? shortHex(wallet.wallet_address);
