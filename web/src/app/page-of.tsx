import { type ComponentType, lazy, useState } from 'react';
import { inTime } from '../design/late-code.ts';

/** A page whose code is loaded when it is opened, or before: what was loaded is drawn at once, without a frame of waiting. */
export type LoadedPage = { Page: ComponentType; load: () => Promise<unknown> };

export function pageOf(read: () => Promise<ComponentType>): LoadedPage {
  let loaded: ComponentType | undefined;
  const arrive = async () => {
    loaded = await read();
    return { default: loaded };
  };
  // The deadline is of the loading itself: while another page is still shown, nothing is drawn that could wait for it.
  const load = () => inTime(arrive());
  const Waiting = lazy(load);
  const Page = () => {
    // Which of the two it began as it stays, so that what it shows is not thrown away once the code is there.
    const [Shown] = useState<ComponentType>(() => loaded ?? Waiting);
    return <Shown />;
  };
  return { Page, load };
}
