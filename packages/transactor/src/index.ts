export { belowCancel, bump, type FeePolicy, type Fees, feeDefaults, offer, outbidsMarket, paysMarket } from './fees.ts';
export { type GasPrice, lowestMarket, type Market, readMarket } from './market.ts';
export { freeNonce, gapsBelow } from './nonces.ts';
export { sendToAll } from './send.ts';
export { nodeText, type SendClass } from './send-errors.ts';
export {
  type Form,
  type Purpose,
  type TransactionSigner,
  type Transactor,
  transactor,
  type Unsigned,
} from './transactor.ts';
