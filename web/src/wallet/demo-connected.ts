/** Where the address of the connected demo wallet is kept. */
export const CONNECTED_KEY = 'castellan_demo_wallet';
