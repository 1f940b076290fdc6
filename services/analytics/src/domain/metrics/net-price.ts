import { formatPps, NET_PPS_DENOMINATOR } from '@castellan/chain';
import { type Figure, figure, type Input } from '../figure.ts';
import { type FeeSet, type MarkMove, type PpsPoint, roundedNet } from '../ledgers/price-ledger.ts';
import { given, type Moment, ppsInput } from '../moment.ts';

/** A PPS as a decimal number for people. @param pps - The input it is written in. */
export const displayed = ({ history }: Moment, pps: Input, observed = false): Figure =>
  figure({
    value: formatPps(pps.value as bigint, history.decimals),
    unit: 'asset per share',
    method: 'display',
    observed,
    inputs: () => [pps, given('asset_decimals', history.decimals, 'digits', 'the asset')],
  });

/** A net price as numerator and denominator. */
export type ExactNet = { numerator: Figure; denominator: Figure };

/** The reason of net prices that cannot be given. */
export const feeUnknown = 'the performance fee before its first change is not known';

/** A performance fee and what brought it into force. */
export const feeInput = (bps: bigint | null, since: FeeSet | undefined): Input => ({
  name: 'fee_bps',
  value: bps ?? 0n,
  unit: 'bps',
  at: since,
  source: since ? 'VaultFeeConfigUpdated' : 'what the vault began with',
});

/** The high-water mark and what moved it last. */
export const markInput = (hwm: bigint, since: MarkMove | undefined): Input => ({
  name: 'hwm',
  value: hwm,
  unit: 'pps',
  at: since,
  source: since ? 'HWMPPSUpdated, HighWaterMarkReset' : 'PPS of 1.0',
});

const inputsOf = (point: PpsPoint): Input[] => [
  ppsInput('pps', point, point.pps),
  markInput(point.hwm, point.marked),
  feeInput(point.feeBps, point.feeSince),
];

/** The net PPS of a price in raw units, rounded down for display. */
export const netFigure = (point: PpsPoint): Figure =>
  figure({
    value: roundedNet(point),
    unit: 'pps',
    method: 'net_pps',
    reason: point.netNumerator === null ? feeUnknown : null,
    inputs: () => inputsOf(point),
  });

/** An exact net PPS in raw units as a fraction; what its numerator rests on is given. */
export const exactNet = (numerator: bigint, inputs: () => readonly Input[], observed = false): ExactNet => ({
  numerator: figure({
    value: numerator,
    unit: `pps / ${NET_PPS_DENOMINATOR}`,
    method: 'net_pps_numerator',
    observed,
    inputs,
  }),
  denominator: figure({
    value: NET_PPS_DENOMINATOR,
    unit: 'parts of a raw unit',
    method: 'value',
    inputs: () => [given('value', NET_PPS_DENOMINATOR, 'bps', 'fees are whole basis points')],
  }),
});

/** The exact net PPS of a price; a figure without a value while the fee is unknown. */
export const exactNetFigures = (point: PpsPoint): ExactNet | Figure =>
  point.netNumerator === null ? netFigure(point) : exactNet(point.netNumerator, () => inputsOf(point));
