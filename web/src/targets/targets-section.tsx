import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { mayWrite } from '../strategies/types.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import type { Targets } from './aims.ts';
import { TargetsEditor } from './targets-editor.tsx';
import TargetsPanel from './targets-panel.tsx';

/** Targets and caps of a vault, which managers set here. */
export function TargetsSection({ shown }: { shown: Shown }) {
  const [edited, setEdited] = useState<Targets>();
  const [isBack, setBack] = useState(false);
  const close = () => {
    setEdited(undefined);
    setBack(true);
  };
  if (edited !== undefined) return <TargetsEditor shown={shown} targets={edited} onClose={close} />;
  const may = mayWrite(shown.vault.my_role);
  return (
    <TargetsPanel
      shown={shown}
      action={(targets) =>
        may && targets.sources.length > 0 ? (
          <Button autoFocus={isBack} onPress={() => setEdited(targets)}>
            Change them
          </Button>
        ) : null
      }
    />
  );
}
