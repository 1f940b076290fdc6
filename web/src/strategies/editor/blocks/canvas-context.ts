import { createContext, use } from 'react';
import type { PartProps } from '../action-fields.tsx';
import type { At, Blocks } from './use-blocks.ts';
import type { useDrag } from './use-drag.ts';

/** What every block of a canvas needs. */
export type CanvasTools = {
  readonly part: PartProps;
  readonly blocks: Blocks;
  readonly dragging: ReturnType<typeof useDrag>;
  /** Whether each node holds on the vault as it is now, by its path. */
  readonly results: ReadonlyMap<string, boolean | null>;
  /** Blocks stand below each other. */
  readonly isNarrow: boolean;
  readonly openMenu: (at: At, element: Element) => void;
};

export const CanvasContext = createContext<CanvasTools | undefined>(undefined);

export function useCanvas(): CanvasTools {
  const tools = use(CanvasContext);
  if (tools === undefined) throw new Error('A block stands on a canvas.');
  return tools;
}
