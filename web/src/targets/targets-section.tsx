import { useEffect, useEffectEvent, useState } from 'react';
import { Button } from '../design/button.tsx';
import { useArrival } from '../navigation/use-arrival.ts';
import { mayWrite } from '../strategies/types.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import type { Targets } from './aims.ts';
import { TargetsEditor } from './targets-editor.tsx';
import TargetsPanel from './targets-panel.tsx';
import { useTargets } from './use-targets.ts';

const canSet = (targets: Targets | undefined): targets is Targets =>
  targets !== undefined && targets.sources.length > 0;

/** Begins at once for who was led here to set them. */
function useBegun(shown: Shown, begin: (targets: Targets) => void) {
  const { anchor, key } = useArrival();
  const { data } = useTargets(shown.vault);
  const isAsked = anchor === 'set-targets' && canSet(data);
  const start = useEffectEvent(() => {
    if (canSet(data)) begin(data);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: who asks for it again arrives again
  useEffect(() => {
    if (isAsked) start();
  }, [isAsked, key]);
}

/** Targets and caps of a vault, which managers set here. */
export function TargetsSection({ shown }: { shown: Shown }) {
  const [edited, setEdited] = useState<Targets>();
  const [isBack, setBack] = useState(false);
  const close = () => {
    setEdited(undefined);
    setBack(true);
  };
  const may = mayWrite(shown.vault.my_role);
  useBegun(shown, (targets) => {
    if (may) setEdited((before) => before ?? targets);
  });
  if (edited !== undefined) return <TargetsEditor shown={shown} targets={edited} onClose={close} />;
  return (
    <TargetsPanel
      shown={shown}
      action={(targets) =>
        may && canSet(targets) ? (
          <Button autoFocus={isBack} onPress={() => setEdited(targets)}>
            Change them
          </Button>
        ) : null
      }
    />
  );
}
