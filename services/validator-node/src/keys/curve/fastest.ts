import type { Curve } from './curve.ts';
import { javascriptCurve } from './javascript.ts';
import { nativeCurve } from './native.ts';

/** The fastest there is on this machine. */
export const fastestCurve: Curve = nativeCurve() ?? javascriptCurve;
