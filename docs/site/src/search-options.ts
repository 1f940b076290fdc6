/** What a result shows. */
export type Found = {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly heading: string;
  readonly excerpt: string;
  readonly text: string;
};

/** The same where the index is made and where it is asked. */
export const searchOptions = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['url', 'title', 'heading', 'excerpt'],
  // Settings, codes and metrics are one word with their underscores, and their parts are words too.
  tokenize: (text: string): string[] =>
    text.split(/[^\p{L}\p{N}_]+/u).flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word])),
  processTerm: (term: string): string | null => (term.length < 2 ? null : term.toLowerCase()),
  searchOptions: {
    boost: { title: 4, heading: 3 },
    // What a reader of a first hour looks for comes before what is looked up by its name.
    boostDocument: (id: string): number => (/^\/docs\/(sdk|runbooks|decisions|repository)/.test(id) ? 0.5 : 1),
    prefix: true,
    fuzzy: 0.1,
    combineWith: 'AND' as const,
  },
};
