import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react';
import { isDrawnForPrint, watchDrawnForPrint } from './draw-for-print.ts';

/** Width of an element in whole pixels; 0 before it is laid out. */
export function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    // It speaks first when the page is laid out anyway; asking the element would lay out all of it once more.
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}

const NEAR = '600px 0px';

/** Whether an element has been within a screen's height of the view, or the page was printed; once true it stays so. */
export function useNear(ref: RefObject<HTMLElement | null>): boolean {
  const isAllDrawn = useSyncExternalStore(watchDrawnForPrint, isDrawnForPrint);
  const [isClose, setIsNear] = useState(false);
  const isNear = isClose || isAllDrawn;
  useEffect(() => {
    const element = ref.current;
    if (element === null || isNear) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((each) => each.isIntersecting) && setIsNear(true),
      { rootMargin: NEAR },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, isNear]);
  return isNear;
}
