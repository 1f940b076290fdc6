import { feeRecorders } from './fees.ts';
import { flowRecorders } from './flows.ts';
import { governanceRecorders } from './governance.ts';
import { holderRecorders } from './holders.ts';
import { priceRecorders } from './prices.ts';
import type { Recorder } from './recorder.ts';

/** By `contract.event`; an event that is not here touches the vault (its gas counts) and changes no figure. */
export const recorders: Readonly<Record<string, Recorder>> = {
  ...priceRecorders,
  ...holderRecorders,
  ...flowRecorders,
  ...feeRecorders,
  ...governanceRecorders,
};
