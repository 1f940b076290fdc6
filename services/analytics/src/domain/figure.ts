import type { FigureStatus, Quality, Receipt } from '@castellan/contracts';
import { type MethodName, publishedFormulas, recompute } from './published-formulas.ts';
import { isoOf } from './timeline.ts';

/** Where on the chain something is written. `time` in seconds. */
export type Place = {
  readonly time: number;
  readonly block: number;
  readonly tx?: string | null;
  readonly index?: number;
};

/** One value a figure rests on. */
export type Input = {
  readonly name: string;
  readonly value: bigint | number | string | null;
  readonly unit: string;
  readonly at?: Place | undefined;
  readonly source: string;
};

/** A stretch without observations, in Unix seconds. */
export type Gap = { readonly from: number; readonly to: number; readonly reason: string };

/** A value with everything needed to defend it. `value` null: not enough history, or an input is missing. */
export type Figure = {
  readonly kind: 'figure';
  readonly value: bigint | number | string | null;
  readonly unit: string;
  readonly method: MethodName;
  readonly status: FigureStatus;
  readonly reason: string | null;
  /** From the first to the last observation it really rests on, seconds. */
  readonly window: { readonly from: number; readonly to: number } | null;
  readonly sampleSize: number;
  readonly gaps: () => readonly Gap[];
  readonly observed: boolean;
  /** Made only when a receipt is asked for. */
  readonly inputs: () => readonly Input[];
};

/** What a figure is made of; `inputs` is called only for a receipt. */
export type FigureOptions = {
  value: Figure['value'];
  unit: string;
  method: MethodName;
  inputs: () => readonly Input[];
  status?: FigureStatus;
  reason?: string | null;
  window?: Figure['window'];
  sampleSize?: number;
  gaps?: () => readonly Gap[];
  /** True when it rests on observations too, which logs alone do not give. */
  observed?: boolean;
};

/** A figure; without a value its status is `insufficient`. */
export function figure(options: FigureOptions): Figure {
  const {
    value,
    status = 'ok',
    reason = null,
    window = null,
    sampleSize = 1,
    gaps = () => [],
    observed = false,
  } = options;
  return {
    kind: 'figure',
    value,
    unit: options.unit,
    method: options.method,
    status: value === null ? 'insufficient' : status,
    reason: value === null ? (reason ?? 'there is not enough history') : reason,
    window,
    sampleSize,
    gaps,
    observed,
    inputs: options.inputs,
  };
}

/** A number that is what its printed formula gives for its inputs, and nothing else. */
export const computed = (options: Omit<FigureOptions, 'value'>): Figure =>
  figure({ ...options, value: Number(recompute(options.method, options.inputs())) });

/** What an answer is built from before it is rendered. */
export type Tree =
  | Figure
  | bigint
  | number
  | string
  | boolean
  | null
  | undefined
  | readonly Tree[]
  | { readonly [key: string]: Tree };

type Rendered = { body: unknown; quality: Record<string, Quality>; receipts: Record<string, Receipt> };

const isFigure = (tree: Tree): tree is Figure =>
  typeof tree === 'object' && tree !== null && 'kind' in tree && tree.kind === 'figure' && 'method' in tree;

const plain = (value: bigint | number | string | null): number | string | null =>
  typeof value === 'bigint' ? value.toString() : value;

function windowOf({ window }: Figure) {
  return window && { from: isoOf(window.from), to: isoOf(window.to), actual_seconds: window.to - window.from };
}

const qualityOf = (item: Figure): Quality => {
  const window = windowOf(item);
  return {
    status: item.status,
    reason: item.reason,
    from: window?.from ?? null,
    to: window?.to ?? null,
    actual_seconds: window?.actual_seconds ?? null,
    sample_size: item.sampleSize,
  };
};

function receiptOf(item: Figure, verify: string): Receipt {
  return {
    value: plain(item.value),
    unit: item.unit,
    method: item.method,
    formula: publishedFormulas[item.method],
    status: item.status,
    window: windowOf(item),
    sample_size: item.sampleSize,
    gaps: item.gaps().map(({ from, to, reason }) => ({ from: isoOf(from), to: isoOf(to), reason })),
    rests_on: item.observed ? 'logs_and_observations' : 'logs',
    inputs: item.inputs().map(({ name, value, unit, at, source }) => ({
      name,
      value: plain(value),
      unit,
      t: at ? isoOf(at.time) : null,
      block: at?.block ?? null,
      tx_hash: at?.tx ?? null,
      log_index: at?.index ?? null,
      source,
    })),
    verify,
  };
}

/**
 * Turns a tree into JSON: figures into their values, bigints into decimal strings; what is not `ok` goes into `quality`, and
 * with `verify` (the command for a path) every figure that is wanted gets its receipt.
 */
export function render(
  tree: Tree,
  verify: ((path: string) => string) | null,
  isWanted: (path: string) => boolean = () => true,
): Rendered {
  const quality: Record<string, Quality> = {};
  const receipts: Record<string, Receipt> = {};
  const walk = (node: Tree, path: string): unknown => {
    if (node === undefined || node === null) return node;
    if (typeof node === 'bigint') return node.toString();
    if (typeof node !== 'object') return node;
    if (isFigure(node)) {
      if (node.status !== 'ok') quality[path] = qualityOf(node);
      if (verify && isWanted(path)) receipts[path] = receiptOf(node, verify(path));
      return plain(node.value);
    }
    if (Array.isArray(node)) return node.map((item, index) => walk(item as Tree, `${path}.${index}`));
    return Object.fromEntries(
      Object.entries(node).map(([key, item]) => [key, walk(item as Tree, path === '' ? key : `${path}.${key}`)]),
    );
  };
  return { body: walk(tree, ''), quality, receipts };
}
