import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Frame } from './frame.ts';
import type { Plot } from './plot.ts';
import { useShownTheme } from './theme-colours.ts';
import { useNear } from './use-size.ts';

/** Loads the drawing library once the element comes near, and keeps the drawing at the frame and the theme. */
export function usePlot(element: RefObject<HTMLDivElement | null>, frame: Frame | undefined) {
  const isNear = useNear(element);
  const theme = useShownTheme();
  const plot = useRef<Plot | undefined>(undefined);
  const [state, setState] = useState<'waiting' | 'ready' | 'failed'>('waiting');
  const canDraw = isNear && frame !== undefined;

  useEffect(() => {
    const holder = element.current;
    if (!canDraw || holder === null) return;
    let isGone = false;
    import('./plot.ts').then(
      ({ createPlot }) => {
        if (isGone) return;
        plot.current = createPlot(holder, { width: holder.clientWidth, height: holder.clientHeight });
        setState('ready');
      },
      () => {
        if (!isGone) setState('failed');
      },
    );
    return () => {
      isGone = true;
      plot.current?.dispose();
      plot.current = undefined;
      setState('waiting');
    };
  }, [canDraw, element]);

  // The theme is a reason to draw again: the drawing reads its colours from it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (state === 'ready' && frame !== undefined) plot.current?.draw(frame);
  }, [state, frame, theme]);

  return { plot, state };
}
