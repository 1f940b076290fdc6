import { Pill } from '../design/pill.tsx';
import { type State, stateWords } from './call-states.ts';

export function CallStatePill({ state }: { state: State }) {
  const { word, tone, meaning } = stateWords[state];
  return (
    <Pill tone={tone} title={meaning}>
      {word}
    </Pill>
  );
}
