import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Pill } from '../design/pill.tsx';
import { Switch } from '../design/switch.tsx';
import { formatCount, NONE } from '../format/figures.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { KeeperStatus } from './keeper-status.tsx';
import { mayWrite, type Shard } from './types.ts';
import { useEngine } from './use-strategies.ts';

type Props = { shown: Shown; shard: Shard | null | undefined };

/** The switch over all strategies of the vault, and who sends for them. */
export function EngineBar({ shown, shard }: Props) {
  const { vault } = shown;
  const { engine, change } = useEngine(vault);
  const [isAsking, setIsAsking] = useState(false);
  const { data } = engine;
  const may = mayWrite(vault.my_role);
  const set = (isAllowed: boolean) => {
    // Stopping is one press; letting everything run again is asked about.
    if (isAllowed) setIsAsking(true);
    else change.mutate({ kill_switch: true });
  };
  return (
    <Card className="flex flex-wrap items-center gap-x-6 gap-y-2">
      <ReadTrouble of={engine} what="The switch" />
      {data === undefined ? (
        engine.isError ? null : (
          <span role="status" className="text-13 text-muted">
            Reading the switch…
          </span>
        )
      ) : may ? (
        <Switch
          label="Allow all strategies"
          isSelected={!data.kill_switch}
          isDisabled={change.isPending}
          onChange={set}
        />
      ) : (
        <Pill tone={data.kill_switch ? 'critical' : 'ok'}>
          {data.kill_switch ? 'All strategies stopped' : 'Strategies allowed'}
        </Pill>
      )}
      {data?.kill_switch ? (
        <p role="status" className="text-13 font-medium text-danger">
          The kill switch is on: no strategy does anything.
        </p>
      ) : null}
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-13">
        <Fact name="Running" value={shard === undefined ? NONE : formatCount(shard?.strategy_count ?? 0)} />
        <Fact
          name="Intents under way"
          value={shard === undefined ? NONE : formatCount(shard?.active_intent_count ?? 0)}
        />
        {data === undefined ? null : (
          <Fact name="Limits" value={`${data.max_intents_per_minute} a minute, ${data.max_active_intents} at once`} />
        )}
      </dl>
      {data === undefined ? null : <KeeperStatus withLink shown={shown} keeper={data.keeper} />}
      <Dialog title="Allow all strategies" isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <div className="flex flex-col gap-4 text-13">
          <p>
            Each strategy that runs acts again from the next block on which its rule holds: the keeper sends its
            transactions without asking.
          </p>
          <span className="flex flex-wrap gap-2">
            <Button
              look="primary"
              onPress={() => {
                setIsAsking(false);
                change.mutate({ kill_switch: false });
              }}
            >
              Allow them
            </Button>
            <Button onPress={() => setIsAsking(false)}>Keep them stopped</Button>
          </span>
        </div>
      </Dialog>
    </Card>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex gap-2">
      <dt className="text-muted">{name}</dt>
      <dd className="font-medium">{value}</dd>
    </div>
  );
}
