/** What is drawn only near the view is drawn everywhere once the page is printed; it stays so, as it is loaded then anyway. */
let isAllNear = false;
const listeners = new Set<() => void>();

export const readAllNear = (): boolean => isAllNear;

export function bringAllNear(): void {
  isAllNear = true;
  for (const listener of listeners) listener();
}

export function watchAllNear(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('beforeprint', bringAllNear);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.removeEventListener('beforeprint', bringAllNear);
    isAllNear = false;
  };
}
