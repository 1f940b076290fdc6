import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Empty, Failure, Notice, RowSkeletons } from '../../design/states.tsx';
import type { Shown } from '../../vault/vault-gate.tsx';
import { mayWrite } from '../types.ts';
import { useEngine } from '../use-strategies.ts';
import { ExitCard } from './exit-card.tsx';
import { useExits } from './use-exits.ts';

/** Drains one source at a time. Nothing can be armed while it is not known what is locked. */
export function ExitTab({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const read = useExits(vault);
  const { known } = read;
  const may = mayWrite(vault.my_role);
  return (
    <div className="flex flex-col gap-4">
      <Card className="flex flex-col gap-2 text-13">
        <h3 className="text-16 font-semibold">What an emergency exit does</h3>
        <ul className="list-disc pl-4">
          <li>The keeper withdraws from one source until nothing is left there, block by block.</li>
          <li>Every other strategy on that source stands still while it is armed, and none can be started.</li>
          <li>It goes on until a manager stops it. What it withdrew stays in the vault as idle assets.</li>
          <li>The vault is not paused by it, and the kill switch stops it too.</li>
        </ul>
      </Card>
      <Switch vault={vault} />
      {read.status === 'reading' ? (
        <Card isFlush>
          <RowSkeletons rows={3} />
        </Card>
      ) : read.status === 'closed' ? (
        <>
          <Notice tone="critical" title="Nothing can be armed now">
            What is locked is not known. Exits that are armed go on meanwhile.
          </Notice>
          <Failure error={read.error} title="The locks could not be read" retry={read.retry} />
        </>
      ) : read.status === 'unclear' ? (
        <Notice
          tone="critical"
          title="Nothing can be armed now"
          action={<Button onPress={read.retry}>Read again</Button>}
        >
          The list of exits and the locks of the engine do not agree. This is so for a moment after a change.
        </Notice>
      ) : read.known.exits.length === 0 ? (
        <Card isFlush>
          <Empty title="No source to leave">An exit appears here for each yield source of the vault.</Empty>
        </Card>
      ) : null}
      {/* Hidden, not gone, while it is not known what is locked: what is being typed to arm one stays. */}
      <div hidden={read.status !== 'open'} className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        {known?.exits.map((exit) => (
          <ExitCard
            key={exit.id}
            shown={shown}
            exit={exit}
            locks={known.locks}
            own={known.own}
            may={may}
            isClosed={read.status !== 'open'}
          />
        ))}
      </div>
    </div>
  );
}

/** An exit that is armed under the kill switch would look like help and be none. */
function Switch({ vault }: { vault: Shown['vault'] }) {
  const { engine } = useEngine(vault);
  if (engine.isError)
    return (
      <Notice tone="warn" title="The kill switch could not be read">
        If it is on, an armed exit does nothing. Look under Strategies.
      </Notice>
    );
  return engine.data?.kill_switch ? (
    <Notice tone="critical" title="The kill switch is on: an armed exit does nothing">
      Stop the strategies that are not to run under Strategies, then allow all strategies there.
    </Notice>
  ) : null;
}
