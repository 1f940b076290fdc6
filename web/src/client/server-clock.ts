/** What the server's clock says at zero of the page's own, by the latest of its answers; undefined before the first. */
let atZero: number | undefined;

/**
 * Notes when the server made an answer. A cached answer is older than it looks and no answer is from the future, so the latest
 * reading is the nearest one.
 */
export function noteServerTime({ headers }: Response): void {
  const at = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(at)) return;
  atZero = Math.max(atZero ?? Number.NEGATIVE_INFINITY, at - performance.now());
}

/** The server's time now, in milliseconds, whatever the device believes; its own clock speaks only until the server has answered. */
export const serverNow = (): number => (atZero === undefined ? Date.now() : atZero + performance.now());
