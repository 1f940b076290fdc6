import type { AnalyticsResult } from '../../data/use-analytics.ts';

export type Transaction = AnalyticsResult<'analyticsTransactions'>['transactions'][number];
export type TransactionType = Transaction['type'];
export type Operations = AnalyticsResult<'analyticsOperations'>;
export type PayerName = keyof Operations['gas']['by_payer'];

export const typeWords: Readonly<Record<TransactionType, string>> = {
  deposit: 'Deposit',
  redeem_request: 'Redemption requested',
  redeem_fulfilled: 'Redemption fulfilled',
  redeem_claim: 'Redemption claimed',
  cancel_request: 'Cancellation requested',
  cancel_fulfilled: 'Cancellation fulfilled',
  cancel_claim: 'Cancellation claimed',
  transfer: 'Transfer of shares',
  pps_update: 'Price update',
  skim: 'Fee taken',
  allocation: 'Allocation changed',
  upkeep_deposit: 'Upkeep added',
  upkeep_withdrawal: 'Upkeep withdrawn',
  pause: 'Paused',
  unpause: 'Unpaused',
  role: 'Role changed',
  settings: 'Settings changed',
};

export const transactionTypes = Object.keys(typeWords) as TransactionType[];

export const payerWords: Readonly<Record<PayerName, string>> = {
  depositor: 'Depositors',
  manager: 'Managers',
  keeper: 'Keepers',
  validator: 'Validators',
  other: 'Others',
};

export const payerNames = Object.keys(payerWords) as PayerName[];
