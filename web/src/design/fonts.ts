/** What `styles.css` waits for before it names the two typefaces, and with that asks for them. */
const READY = 'fonts';

type Paints = Pick<typeof PerformanceObserver, 'supportedEntryTypes'> &
  (new (
    seen: PerformanceObserverCallback,
  ) => Pick<PerformanceObserver, 'observe' | 'disconnect'>);

/**
 * Asks for the typefaces once something is painted. Their 90 kB would share a phone's line with the scripts that draw the first sight,
 * and the fonts of the system show it as well. Call once at start.
 */
export function loadFontsAfterFirstPaint(root: HTMLElement, Observer: Paints = PerformanceObserver) {
  const load = () => {
    root.dataset[READY] = '';
  };
  // A browser that does not say when it paints.
  if (!Observer.supportedEntryTypes.includes('paint')) return load();
  const observer = new Observer((list) => {
    if (list.getEntriesByName('first-contentful-paint').length === 0) return;
    observer.disconnect();
    load();
  });
  observer.observe({ type: 'paint', buffered: true });
}
