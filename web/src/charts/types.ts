import type { ReactNode } from 'react';

/** How values of a chart are written. See `units.ts` for the ones there are. */
export type Unit = {
  /** For table headers and CSV: "USD", "USDC", "%". */
  name: string;
  /** The value for reading: crosshair, table. */
  format: (value: number) => string;
  /** The value at a tick; `step` is the distance between ticks, so that no two read alike, `most` the largest of them. */
  tick: (value: number, step: number, most: number) => string;
  /** Nothing between whole numbers can be measured: ticks stand on them. */
  isWhole?: boolean;
  /** The least and the most that can be measured: an axis ends there. */
  limits?: readonly [least: number, most: number];
};

/**
 * Time in milliseconds since 1970 (or the number of a number axis), the value, and its exact text where a double cannot
 * hold it. A null value is a gap and is drawn as one. Points are in order of time.
 */
export type Point = readonly [x: number, value: number | null, exact?: string | undefined];

/** Tokens of the theme, so that a chart follows it. */
export type Colour = 1 | 2 | 3 | 4 | 5 | 6 | 'other' | 'accent' | 'brass' | 'danger' | 'info' | 'muted';

export type Series = {
  /** Stays the same over updates. */
  id: string;
  name: string;
  /** `step` and `step-area` hold a value until the next one. `stacked` areas add up. Bars with the same `stack` stand on each other. */
  kind: 'step' | 'step-area' | 'line' | 'area' | 'stacked' | 'bar';
  points: readonly Point[];
  /** Without one, series take the colours 1 to 6 in their order. */
  colour?: Colour;
  isDashed?: boolean;
  stack?: string;
};

/** Something that happened: a line across the chart with a word. */
export type Marker = {
  id: string;
  x: number;
  label: string;
  tone?: 'info' | 'warn' | 'critical';
};

/** The lower axis; time by default. */
export type XAxis =
  | { kind: 'time' }
  | { kind: 'number'; name: string; format: (x: number) => string; tick: (x: number) => string };

export type ChartProps = {
  title: string;
  /** One sentence: what the reader should see. Undefined while it is not known. */
  takeaway: string | undefined;
  series: readonly Series[];
  unit: Unit;
  markers?: readonly Marker[] | undefined;
  x?: XAxis;
  /** The y axis starts at 0; for amounts whose size is compared. Areas and bars always do. */
  isFromZero?: boolean;
  /** Charts of one group share the crosshair. */
  group?: string;
  /** Drag, buttons and + − 0 zoom; on by default. */
  canZoom?: boolean;
  /** Width of a bucket, 0 where each point is an observation; printed as "1 point = 1 h", and the width of bars. */
  intervalSeconds?: number | undefined;
  /** Height of the drawing in pixels; 240 by default. */
  height?: number;
  /** Name of downloads without ending, e.g. "usdc-core-pps". */
  fileName: string;
  /** Shown instead of the drawing when no series has a value: what appears after what event. */
  empty: { title: string; detail: string };
  /** The first answer has not come yet: a skeleton of the same size. */
  isLoading?: boolean;
  /** Why there is no answer; with an answer on screen, it stays and is said to be old. */
  error?: unknown;
  /** When the answer on screen came, in milliseconds: said beside an error. */
  readAt?: number | undefined;
  onRetry?: () => void;
  /** Beside the title: receipt button, window choice. */
  actions?: ReactNode;
  className?: string;
};
