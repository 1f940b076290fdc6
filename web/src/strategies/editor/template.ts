import type { Draft } from './draft.ts';

/** A strategy to begin with: what it says holds for the vault at hand, and everything of it can be changed. */
export type Template = {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly draft: Draft;
};
