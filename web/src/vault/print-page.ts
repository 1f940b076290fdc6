import { useEffect } from 'react';
import { drawAllForPrint } from '../charts/draw-for-print.ts';

/** A read that hangs does not keep the page from being printed. */
const LONGEST_WAIT_MS = 15_000;
/** Charts draw a moment after their figures are there. */
const QUIET_MS = 600;

/** Loads all sections of the page and prints it once nothing on it has changed for a moment. */
export function printWhole(print: () => void): void {
  drawAllForPrint();
  const isLoading = () => document.querySelector('main [role="status"][aria-label^="Loading"]') !== null;
  const finish = () => {
    observer.disconnect();
    clearTimeout(latest);
    clearTimeout(quiet);
    print();
  };
  const wait = () =>
    setTimeout(() => {
      if (!isLoading()) finish();
    }, QUIET_MS);
  let quiet = wait();
  const latest = setTimeout(finish, LONGEST_WAIT_MS);
  const observer = new MutationObserver(() => {
    clearTimeout(quiet);
    quiet = wait();
  });
  observer.observe(document.body, { subtree: true, childList: true, attributes: true });
}

/** Ctrl or Cmd and P prints the whole page; the browser's own command prints what is loaded by then. */
export function usePrintKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'p' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      printWhole(() => window.print());
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
