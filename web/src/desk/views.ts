import { useState } from 'react';
import { z } from 'zod';

const View = z.object({ name: z.string(), search: z.string() });
export type View = z.infer<typeof View>;

const KEY = 'castellan_desk_views';

function readViews(): View[] {
  try {
    return z.array(View).parse(JSON.parse(localStorage.getItem(KEY) ?? '[]'));
  } catch {
    // What cannot be read is no view; the next one that is saved takes its place.
    return [];
  }
}

/** Columns, sort and filter under a name, kept in this browser. A name that exists is replaced. */
export function useViews() {
  const [views, setViews] = useState(readViews);
  const put = (next: View[]) => {
    const sorted = next.toSorted((left, right) => left.name.localeCompare(right.name));
    setViews(sorted);
    try {
      localStorage.setItem(KEY, JSON.stringify(sorted));
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
