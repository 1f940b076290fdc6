import type { Vault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Failure } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import type { Strategy } from './types.ts';
import { useStrategyActions } from './use-strategies.ts';

export type StateStep = 'start' | 'stop' | 'archive';
type Props = {
  vault: Vault;
  strategy: Strategy;
  step: StateStep;
  onDone?: ((strategy: Strategy) => void) | undefined;
  onClose: () => void;
};

const steps = {
  start: {
    title: 'Start the strategy',
    button: 'Start',
    to: 'RUNNING',
    done: 'was started',
    about:
      'From now on its rule is evaluated at each block. Once it holds, the keeper sends a transaction without asking, within the limits of the strategy and of the vault.',
  },
  stop: {
    title: 'Stop the strategy',
    button: 'Stop',
    to: 'IDLE',
    done: 'was stopped',
    about: 'It is evaluated no more. What it has sent to the chain already runs its course.',
  },
  archive: {
    title: 'Archive the strategy',
    button: 'Archive',
    to: 'ARCHIVED',
    done: 'was archived',
    about: 'It leaves its lane and never runs again. Its intents stay in the history. This cannot be undone.',
  },
} as const;

/** Asks before a strategy starts, stops or is archived, and says what that means. */
export function StateDialog({ vault, strategy, step, onDone, onClose }: Props) {
  const { setState } = useStrategyActions(vault);
  const { title, button, to, about, done } = steps[step];
  // Not by a callback of `mutate`: the change reads the strategy anew, which may take this dialog away before it is called.
  const go = async () => {
    const changed = await setState.mutateAsync({ strategy, target_state: to }).catch(() => undefined);
    if (changed === undefined) return;
    toast({ tone: 'info', title: `${strategy.name} ${done}`, key: 'strategy-state' });
    onDone?.(changed);
    onClose();
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <div className="flex flex-col gap-4 text-13">
        <p className="text-14 font-semibold break-words">{strategy.name}</p>
        <p>{about}</p>
        {setState.isError ? <Failure error={setState.error} title="Its state was not changed" /> : null}
        <span className="flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>Leave it as it is</Button>
          <Button look={step === 'start' ? 'primary' : 'danger'} isDisabled={setState.isPending} onPress={go}>
            {button}
          </Button>
        </span>
      </div>
    </Dialog>
  );
}
