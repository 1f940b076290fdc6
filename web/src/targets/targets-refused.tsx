import { Button } from '../design/button.tsx';
import { isConflict } from '../design/explain.ts';
import { ReasonedButton } from '../design/reasoned-button.tsx';
import { Failure, Notice } from '../design/states.tsx';
import type { Targets } from './aims.ts';
import { percentText } from './draft.ts';

type Props = {
  error: unknown;
  /** What was read before one typed. */
  before: Targets;
  /** What is set now, as far as it is known. */
  now: Targets;
  onOver: () => void;
  onTheirs: () => void;
};

/** A refusal never takes what was typed. */
export function TargetsRefused({ error, before, now, onOver, onTheirs }: Props) {
  if (!isConflict(error)) return <Failure error={error} title="The targets were not set" />;
  const reason = now.version === before.version ? 'The newer version is being read.' : null;
  return (
    <Notice tone="warn" title="Somebody else set targets meanwhile">
      {reason === null ? (
        <>
          <p>{`They are at version ${now.version} now; you began with ${before.version}. What you typed is kept here.`}</p>
          <ul aria-label="What they set" className="list-disc pl-4">
            {changed(before, now).map(({ source_address, name, target_bps, cap_bps }) => (
              <li key={source_address}>{`${name}: target ${shareText(target_bps)}, cap ${shareText(cap_bps)}`}</li>
            ))}
          </ul>
        </>
      ) : (
        <p>What you typed is kept here.</p>
      )}
      <span className="flex flex-wrap gap-2 pt-2">
        <ReasonedButton reason={reason} onPress={onOver}>
          Set mine over it
        </ReasonedButton>
        {reason === null ? <Button onPress={onTheirs}>Take theirs and drop mine</Button> : null}
      </span>
    </Notice>
  );
}

const shareText = (bps: number | null): string => (bps === null ? 'none' : percentText(bps));

/** The sources that a newer version sets something else for. */
const changed = (before: Targets, now: Targets): Targets['sources'] =>
  now.sources.filter((source) => {
    const was = before.sources.find(({ source_address }) => source_address === source.source_address);
    return was?.target_bps !== source.target_bps || was?.cap_bps !== source.cap_bps;
  });
