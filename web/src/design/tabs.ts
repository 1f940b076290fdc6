/** How tabs look wherever a page has several views. */
export const tabListLook = 'scroll-cue rounded-none [--surface:var(--bg)] flex gap-1 overflow-x-auto border-b';
export const tabLook =
  'flex min-h-10 cursor-pointer items-center gap-2 whitespace-nowrap border-b-2 border-transparent px-3 text-13 font-medium text-muted outline-offset-[-2px] data-[hovered]:text-text data-[selected]:border-accent data-[selected]:text-text';
