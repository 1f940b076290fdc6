import type MiniSearch from 'minisearch';
import { type Found, searchOptions } from '../src/search-options.ts';

type Parts = {
  opener: HTMLElement;
  dialog: HTMLDialogElement;
  words: HTMLInputElement;
  state: HTMLElement;
  results: HTMLOListElement;
};

const mostResults = 20;

/** Index and program come with the first search, from this server. A failure is forgotten, so that the next search asks again. */
function loader(): () => Promise<MiniSearch<Found>> {
  let loading: Promise<MiniSearch<Found>> | undefined;
  const load = async (): Promise<MiniSearch<Found>> => {
    const [{ default: Search }, answer] = await Promise.all([import('minisearch'), fetch('/docs/assets/search.json')]);
    if (!answer.ok) throw new Error(`The index is not there: ${answer.status}.`);
    return Search.loadJSON(await answer.text(), searchOptions);
  };
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

function resultOf({ url, title, heading, excerpt }: Found): HTMLLIElement {
  const link = document.createElement('a');
  link.href = url;
  const name = document.createElement('strong');
  name.textContent = heading ? `${title} › ${heading}` : title;
  const words = document.createElement('span');
  words.textContent = excerpt;
  link.append(name, words);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

/** Opens the search by its button, `/` or Ctrl-K, and shows what is found as it is typed. */
export function connectSearch({ opener, dialog, words, state, results }: Parts): void {
  const load = loader();
  let asked = 0;
  const show = async () => {
    asked += 1;
    const mine = asked;
    const text = words.value.trim();
    if (text === '') {
      results.replaceChildren();
      state.textContent = 'Type what you look for: a word, a setting, an error code.';
      return;
    }
    try {
      const index = await load();
      if (mine !== asked) return;
      const found = index.search(text).slice(0, mostResults) as unknown as Found[];
      results.replaceChildren(...found.map(resultOf));
      state.textContent = found.length === 0 ? `Nothing has "${text}".` : '';
    } catch {
      results.replaceChildren();
      state.textContent = 'The search could not be loaded. Try again.';
    }
  };
  const open = () => {
    if (!dialog.open) dialog.showModal();
    words.select();
    void show();
    void load().catch(() => undefined);
  };
  opener.addEventListener('click', open);
  words.addEventListener('input', () => void show());
  words.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    results.querySelector('a')?.click();
  });
  results.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as HTMLElement).closest('input, textarea, select') !== null;
    const isAsked = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isAsked) return;
    event.preventDefault();
    open();
  });
}
