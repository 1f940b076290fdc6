import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../client/services.ts';
import { Button } from '../../design/button.tsx';
import { isConflict } from '../../design/explain.ts';
import { Failure, Notice } from '../../design/states.tsx';
import { ReadTrouble } from '../../live/read-trouble.tsx';
import type { OpenStrategy } from '../types.ts';

type RefusedProps = {
  error: unknown;
  before: OpenStrategy | undefined;
  onOver: (version: number) => void;
  onTheirs: (() => void) | undefined;
};

/** A refusal never takes what was typed. */
export function Refused({ error, before, onOver, onTheirs }: RefusedProps) {
  const { api } = useApp();
  const conflict = isConflict(error) && before !== undefined;
  const newer = useQuery({
    queryKey: ['strategy-newer', before?.id, error],
    queryFn: () => api.getStrategy({ params: { id: before?.id ?? '' } }),
    enabled: conflict,
    gcTime: 0,
  });
  if (!conflict) return <Failure error={error} title="It was not saved" />;
  return (
    <Notice tone="warn" title="Somebody else changed this strategy meanwhile">
      <p>
        {newer.data === undefined
          ? 'What you wrote is kept here.'
          : `It is at version ${newer.data.version} now; you began with ${before.version}. What you wrote is kept here.`}
      </p>
      <ReadTrouble of={newer} what="What they saved" />
      <span className="flex flex-wrap gap-2 pt-2">
        <Button
          isDisabled={newer.data === undefined}
          onPress={() => {
            if (newer.data) onOver(newer.data.version);
          }}
        >
          Save mine over it
        </Button>
        <Button onPress={() => onTheirs?.()}>Take theirs and drop mine</Button>
      </span>
    </Notice>
  );
}
