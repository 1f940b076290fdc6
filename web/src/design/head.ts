import { useEffect } from 'react';

/** Names the page in the tab and for whoever links to it. */
export function useHead(title: string, description?: string) {
  useEffect(() => {
    document.title = title === 'Castellan' ? title : `${title} · Castellan`;
    const meta = document.querySelector('meta[name="description"]');
    if (description !== undefined) meta?.setAttribute('content', description);
  }, [title, description]);
}
