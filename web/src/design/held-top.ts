/**
 * A ref for what stays at the top of the page while it scrolls: table headers stop below it, however high it is.
 * @returns what undoes it.
 */
export function holdTop(element: HTMLElement | null) {
  if (!element || !('ResizeObserver' in window)) return;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty('--held-top', `${element.offsetHeight}px`));
  observer.observe(element);
  return () => {
    observer.disconnect();
    style.removeProperty('--held-top');
  };
}
