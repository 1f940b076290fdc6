import { useSyncExternalStore } from 'react';

/** A screen reader is not interrupted more often than this; the last of what came meanwhile is said then. */
const QUIET_MS = 30_000;

let said = '';
let waiting = '';
let rest: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function sayWaiting() {
  rest = undefined;
  said = waiting;
  // Old announcements are removed: a screen reader that reaches the end of the page would read them as news.
  waiting = '';
  if (said !== '') rest = setTimeout(sayWaiting, QUIET_MS);
  for (const listener of listeners) listener();
}

/** Announces to screen readers what changed on the page by itself. */
export function announce(text: string) {
  waiting = text;
  if (rest === undefined) sayWaiting();
}

let done = '';
let doneRest: ReturnType<typeof setTimeout> | undefined;

function showDone(text: string) {
  done = text;
  for (const listener of listeners) listener();
}

/** Announces what the reader did, once it is done: at once, as nobody is interrupted by what they wait for. */
export function announceDone(text: string) {
  // A region that already says the same says nothing: an invisible character makes it another text.
  showDone(text === done ? `${text}\u200b` : text);
  clearTimeout(doneRest);
  doneRest = setTimeout(() => showDone(''), QUIET_MS);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** In the page from the start: a live region that comes with its text is often not read. What was done has one of its own, which news do not take. */
export function Announcer() {
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {useSyncExternalStore(subscribe, () => said)}
      </p>
      <p aria-live="polite" className="sr-only">
        {useSyncExternalStore(subscribe, () => done)}
      </p>
    </>
  );
}
