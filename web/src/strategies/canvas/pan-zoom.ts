/** How the plane lies in its window: `x` and `y` in pixels of the window. */
export type View = { readonly x: number; readonly y: number; readonly zoom: number };
export type Size = { readonly width: number; readonly height: number };
type Point = { readonly x: number; readonly y: number };

export const MIN_ZOOM = 0.4;
export const MAX_ZOOM = 1.6;
const STEP = 1.2;
const PAN = 60;
/** At least so much of the plane stays in the window. */
const KEPT = 80;

const between = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/** The plane cannot be lost out of sight. */
export const held = ({ x, y, zoom }: View, window: Size, plane: Size): View => ({
  x: between(x, KEPT - plane.width * zoom, window.width - KEPT),
  y: between(y, KEPT - plane.height * zoom, window.height - KEPT),
  zoom,
});

/** Zooms so that what lies under `at` stays there. */
export function zoomedAt(view: View, factor: number, at: Point): View {
  const zoom = between(view.zoom * factor, MIN_ZOOM, MAX_ZOOM);
  const change = zoom / view.zoom;
  return { x: at.x - (at.x - view.x) * change, y: at.y - (at.y - view.y) * change, zoom };
}

type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
/** Around what is brought into sight. */
const MARGIN = 16;

/** By how much what lies between two edges has to move to lie in a window; its beginning where it is larger than that. */
function shiftInto(low: number, high: number, length: number): number {
  if (low < MARGIN || high - low > length - 2 * MARGIN) return MARGIN - low;
  return Math.min(0, length - MARGIN - high);
}

/** The plane moved as little as brings a box of the window into sight. */
export const revealed = (view: View, box: Box, window: Size): View => ({
  ...view,
  x: view.x + shiftInto(box.left, box.right, window.width),
  y: view.y + shiftInto(box.top, box.bottom, window.height),
});

/** Smaller than this nobody reads a card: a phone begins in the middle, at the pool, and is moved from there. */
const READABLE_ZOOM = 0.5;
const NARROW_ZOOM = 0.8;

/** The whole width in sight where it can be read, or all of it, never larger than life, in the middle. */
export function fitted(window: Size, plane: Size, isWhole = false): View {
  const ratios = [window.width / plane.width, ...(isWhole ? [window.height / plane.height] : [])];
  const whole = plane.width === 0 ? 1 : between(Math.min(...ratios), MIN_ZOOM, 1);
  const isTiny = !isWhole && whole < READABLE_ZOOM;
  const zoom = isTiny ? NARROW_ZOOM : whole;
  const x = (window.width - plane.width * zoom) / 2;
  return { x: isTiny ? x : Math.max(0, x), y: 0, zoom };
}

/** As large as life, from the left: for a plane that is read from there, where more in sight would only be smaller. */
export const lifeSize = (window: Size, plane: Size): View => ({
  x: Math.max(0, (window.width - plane.width) / 2),
  y: 0,
  zoom: 1,
});

/** What a key does to the view; undefined for keys that mean nothing here. */
export function viewAfterKey(key: string, view: View, window: Size, plane: Size): View | undefined {
  const middle = { x: window.width / 2, y: window.height / 2 };
  switch (key) {
    case 'ArrowLeft':
      return { ...view, x: view.x + PAN };
    case 'ArrowRight':
      return { ...view, x: view.x - PAN };
    case 'ArrowUp':
      return { ...view, y: view.y + PAN };
    case 'ArrowDown':
      return { ...view, y: view.y - PAN };
    case '+':
    case '=':
      return zoomedAt(view, STEP, middle);
    case '-':
      return zoomedAt(view, 1 / STEP, middle);
    case '0':
      return fitted(window, plane, true);
    default:
      return undefined;
  }
}

/** Two fingers: the plane follows their middle and grows with their distance. */
export function pinched(view: View, before: readonly [Point, Point], after: readonly [Point, Point]): View {
  const middle = ([a, b]: readonly [Point, Point]) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  const distance = ([a, b]: readonly [Point, Point]) => Math.hypot(a.x - b.x, a.y - b.y) || 1;
  const from = middle(before);
  const to = middle(after);
  const moved = { ...view, x: view.x + to.x - from.x, y: view.y + to.y - from.y };
  return zoomedAt(moved, distance(after) / distance(before), to);
}
