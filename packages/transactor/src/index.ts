export { bump, type FeePolicy, type Fees, feeDefaults, offer, outbidsMarket, paysMarket } from './fees.ts';
export { type GasPrice, lowestMarket, type Market, readMarket } from './market.ts';
export { type SendResult, sendToAll } from './send.ts';
export { nodeText, type SendClass } from './send-errors.ts';
