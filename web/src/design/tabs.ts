/** How tabs look wherever a page has several views. */
export const tabListLook = 'scroll-cue rounded-none [--surface:var(--bg)] flex overflow-x-auto border-b sm:gap-1';
export const tabLook =
  'flex min-h-10 cursor-pointer items-center gap-1 whitespace-nowrap border-b-2 border-transparent px-2 text-13 font-medium text-muted outline-offset-[-2px] data-[hovered]:text-text data-[selected]:border-accent data-[selected]:text-text sm:gap-2 sm:px-3';
