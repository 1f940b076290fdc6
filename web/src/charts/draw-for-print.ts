/** What is drawn only near the view is drawn everywhere once the page is printed; it stays so, as it is loaded then anyway. */
let isAllDrawn = false;
const listeners = new Set<() => void>();

export const isDrawnForPrint = (): boolean => isAllDrawn;

export function drawAllForPrint(): void {
  isAllDrawn = true;
  for (const listener of listeners) listener();
}

export function watchDrawnForPrint(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('beforeprint', drawAllForPrint);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.removeEventListener('beforeprint', drawAllForPrint);
    isAllDrawn = false;
  };
}
