import { useMutation } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { Failure, Notice } from '../design/states.tsx';
import { AskedToSign } from '../digests/digest-list.tsx';
import { isRejection } from '../session/sign-in.ts';
import { stepUp } from '../session/step-up.ts';
import { useAsked } from '../wallet/use-asked.ts';
import { useBlockers } from './use-blockers.tsx';

type Props = { chainId: number; onDone?: (() => void) | undefined };

/** Asks for a fresh signature where it is needed, so that nothing has to be typed again. */
export function StepUpPrompt({ chainId, onDone }: Props) {
  const { api, session } = useApp();
  const { signer, asked } = useAsked();
  const { reason, action } = useBlockers();
  const ask = useMutation({
    mutationFn: async () => {
      try {
        await stepUp(api, session, chainId, signer);
      } catch (error) {
        if (isRejection(error)) throw new Error('You declined the message in the wallet. Nothing was signed.');
        throw error;
      }
    },
    onSuccess: () => onDone?.(),
  });
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="info" title="This change needs a recent signature">
        Your wallet asks you to sign a message; no transaction, no gas.
      </Notice>
      {reason === undefined ? null : (
        <p className="flex flex-wrap items-center justify-between gap-2 text-13 text-brass">
          {reason}
          {action}
        </p>
      )}
      {ask.isPending && asked !== undefined ? <AskedToSign asked={asked} /> : null}
      {ask.isError ? <Failure error={ask.error} title="The message was not signed" /> : null}
      <Button look="primary" isDisabled={ask.isPending || reason !== undefined} onPress={() => ask.mutate()}>
        {ask.isPending ? 'Waiting for the wallet' : 'Sign the message'}
      </Button>
    </div>
  );
}
