import { useState } from 'react';
import { Link } from 'react-router';
import { Button } from '../../design/button.tsx';
import { Pill } from '../../design/pill.tsx';
import { intentsPath } from '../../navigation/paths.ts';
import type { Shown } from '../../vault/vault-gate.tsx';
import { StateDialog, type StateStep } from '../state-dialog.tsx';
import { mayWrite, type OpenStrategy, stateWords } from '../types.ts';

type HeadProps = { vault: Shown['vault']; before: OpenStrategy | undefined; onDone: () => void };

/** Which strategy this is, and its steps from one state to the next. */
export function Head({ vault, before, onDone }: HeadProps) {
  const [step, setStep] = useState<StateStep>();
  if (before === undefined) return <h2 className="text-20 font-semibold">New strategy</h2>;
  const { word, tone } = stateWords[before.state];
  const may = mayWrite(vault.my_role) && before.state !== 'ARCHIVED';
  return (
    <div className="flex flex-wrap items-center gap-3">
      <h2 className="min-w-0 text-20 font-semibold break-words">{before.name}</h2>
      <Pill tone={tone}>{word}</Pill>
      <span className="text-12 text-muted">{`Version ${before.version}`}</span>
      <Link
        to={{ pathname: intentsPath(vault.chain_slug, vault.vault_address), search: `?strategy=${before.id}` }}
        className="link text-13"
      >
        Its intents
      </Link>
      {may ? (
        <span className="flex flex-wrap gap-2 sm:ml-auto">
          {before.state === 'RUNNING' || before.state === 'ERROR' ? (
            <Button onPress={() => setStep('stop')}>{before.state === 'RUNNING' ? 'Stop' : 'Reset to idle'}</Button>
          ) : (
            <Button onPress={() => setStep('start')}>Start</Button>
          )}
          <Button look="danger" onPress={() => setStep('archive')}>
            Archive
          </Button>
          <span className="self-center text-12 text-muted">Archiving cannot be undone.</span>
        </span>
      ) : null}
      {before.error === null ? null : <p className="w-full text-13 text-danger">{before.error}</p>}
      {step === undefined ? null : (
        <StateDialog vault={vault} strategy={before} step={step} onDone={onDone} onClose={() => setStep(undefined)} />
      )}
    </div>
  );
}
