import type { Range } from './scale.ts';

/** Smallest share of the whole that can fill the drawing. */
const MOST_ZOOM = 1 / 10_000;

/** The range after one step: `+` half of it around the crosshair, `-` twice of it, `0` all (undefined). */
export function zoomed(key: string, shown: Range, whole: Range, around: number | null): Range | undefined {
  const length = shown[1] - shown[0];
  const most = whole[1] - whole[0];
  const wanted = key === '-' ? length * 2 : Math.max(length / 2, most * MOST_ZOOM);
  if (key === '0' || wanted >= most) return undefined;
  const centre = around !== null && around >= shown[0] && around <= shown[1] ? around : (shown[0] + shown[1]) / 2;
  const from = Math.min(Math.max(whole[0], centre - wanted / 2), whole[1] - wanted);
  return [from, from + wanted];
}
