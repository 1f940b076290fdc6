import MiniSearch from 'minisearch';
import type { Section } from './markdown.ts';
import { searchOptions } from './search-options.ts';

type Searched = { readonly url: string; readonly title: string; readonly sections: readonly Section[] };

const excerptLength = 160;

/** The index as the pages load it: an entry for each part of a page. */
export function searchIndex(pages: readonly Searched[]): string {
  const index = new MiniSearch(searchOptions);
  for (const { url, title, sections } of pages) {
    for (const { heading, id, text } of sections) {
      const words = text.trim().replaceAll(/\s+/g, ' ');
      if (words === '' && heading === '') continue;
      const at = id === '' ? url : `${url}#${id}`;
      index.add({ id: at, url: at, title, heading, text: words, excerpt: words.slice(0, excerptLength) });
    }
  }
  return JSON.stringify(index);
}
