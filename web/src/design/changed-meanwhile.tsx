import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Notice } from './states.tsx';
import type { useBegun } from './use-begun.ts';

type Props = {
  of: Pick<ReturnType<typeof useBegun>, 'isOutdated' | 'keepMine' | 'takeTheirs'>;
  /** "the rota" */
  what: string;
  /** What the others made of it. */
  children: ReactNode;
  /** Takes away what was said about the save that was refused. */
  onDecided: () => void;
};

/** Somebody else was faster: nothing typed is lost, and nothing of theirs is overwritten unseen. */
export function ChangedMeanwhile({ of: { isOutdated, keepMine, takeTheirs }, what, children, onDecided }: Props) {
  if (!isOutdated) return null;
  const decide = (take: () => void) => () => {
    onDecided();
    take();
  };
  return (
    <Notice tone="warn" title={`Somebody else changed ${what} meanwhile`}>
      <p>What you typed is kept here and was not saved.</p>
      <p className="break-words">{children}</p>
      <span className="flex flex-wrap gap-2 pt-2">
        <Button onPress={decide(keepMine)}>Keep what I typed, on top of theirs</Button>
        <Button onPress={decide(takeTheirs)}>Take theirs and drop mine</Button>
      </span>
    </Notice>
  );
}
