/** Under it a browser keeps what was typed and not saved, one entry for each wallet and thing. */
export const draftPrefix = 'castellan_draft:';

/** Who signs out leaves no draft of a vault behind in the browser. */
export function dropAllDrafts(storage: Storage): void {
  const places = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  for (const place of places) if (place.startsWith(draftPrefix)) storage.removeItem(place);
}
