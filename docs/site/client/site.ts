import { connectSearch } from './search.ts';

/** What the dashboard keeps its choice under; both are one origin. */
const themeKey = 'castellan_theme';

function element<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}.`);
  return found as E;
}

element('theme').addEventListener('click', () => {
  const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem(themeKey, next);
  } catch {
    // A browser that keeps nothing shows it on this page.
  }
});

const menu = element('menu');
const pages = element('pages');
const showPages = (isShown: boolean) => {
  menu.setAttribute('aria-expanded', String(isShown));
  pages.classList.toggle('shown', isShown);
};
menu.addEventListener('click', () => showPages(menu.getAttribute('aria-expanded') !== 'true'));
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape' && pages.classList.contains('shown')) {
    showPages(false);
    menu.focus();
  }
});

// Where one is, in a list that is longer than the window.
const current = pages.querySelector('[aria-current]');
if (current) pages.scrollTop = Math.max(0, (current as HTMLElement).offsetTop - pages.clientHeight / 2);

for (const block of document.querySelectorAll('pre')) {
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'copy';
  copy.textContent = 'Copy';
  copy.addEventListener('click', () => {
    const done = (word: string) => {
      copy.textContent = word;
      setTimeout(() => {
        copy.textContent = 'Copy';
      }, 2000);
    };
    navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '').then(
      () => done('Copied'),
      () => done('Not allowed'),
    );
  });
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  frame.append(block, copy);
}

connectSearch({
  opener: element('search'),
  dialog: element<HTMLDialogElement>('search-dialog'),
  words: element<HTMLInputElement>('search-words'),
  state: element('search-state'),
  results: element<HTMLOListElement>('search-results'),
});
