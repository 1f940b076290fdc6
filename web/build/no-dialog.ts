/** In place of WalletConnect's dialog: the page draws the code to scan itself. */
export function createAppKit(): never {
  throw new Error("WalletConnect's dialog is not part of this page.");
}
