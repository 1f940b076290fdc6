import { useState } from 'react';
import { z } from 'zod';

const View = z.object({ name: z.string(), search: z.string() });
export type View = z.infer<typeof View>;

/** Of each wallet its own; before, all wallets of a browser shared what lies under the bare name. */
const KEY = 'castellan_desk_views';
const keyOf = (viewer: string) => `${KEY}:${viewer}`;

function readViews(viewer: string): View[] {
  try {
    const shared = localStorage.getItem(KEY);
    if (shared !== null) {
      if (localStorage.getItem(keyOf(viewer)) === null) localStorage.setItem(keyOf(viewer), shared);
      localStorage.removeItem(KEY);
    }
    return z.array(View).parse(JSON.parse(localStorage.getItem(keyOf(viewer)) ?? '[]'));
  } catch {
    // What cannot be read is no view; the next one that is saved takes its place.
    return [];
  }
}

/** Columns, sort and filter under a name, kept in this browser for one wallet. A name that exists is replaced. */
export function useViews(viewer: string) {
  const [views, setViews] = useState(() => readViews(viewer));
  const put = (next: View[]) => {
    const sorted = next.toSorted((left, right) => left.name.localeCompare(right.name));
    setViews(sorted);
    try {
      localStorage.setItem(keyOf(viewer), JSON.stringify(sorted));
    } catch {
      // Where nothing may be stored they last as long as the page.
    }
  };
  const without = (name: string) => views.filter((view) => view.name !== name);
  return {
    views,
    save: (view: View) => put([...without(view.name), view]),
    remove: (name: string) => put(without(name)),
  };
}
