import { createContext, type RefObject } from 'react';

/** Writes a name at the caret of the expression that was last in focus. */
export type Insert = (text: string) => void;
export const InsertContext = createContext<RefObject<Insert | null>>({ current: null });
