import { useMedia } from '../design/use-media.ts';

/** Whether the window is too narrow for a pane beside the page. */
export const useIsPhone = (): boolean => useMedia('(max-width: 639px)');
