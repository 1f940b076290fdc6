import { useConnection, useSwitchChain } from 'wagmi';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/states.tsx';

/** Said where it matters when the wallet is on another chain than the call. */
export function NetworkPrompt({ chainId }: { chainId: number }) {
  const { config } = useApp();
  const connection = useConnection();
  const switchChain = useSwitchChain();
  if (connection.status !== 'connected' || connection.chainId === chainId) return null;
  const name = chainById(config, chainId)?.name ?? `chain ${chainId}`;
  return (
    <Notice
      tone="warn"
      title={`Your wallet is on another network (chain ${connection.chainId})`}
      action={
        <Button isDisabled={switchChain.isPending} onPress={() => switchChain.mutate({ chainId })}>
          {`Switch to ${name}`}
        </Button>
      }
    >
      {switchChain.isError
        ? `The wallet did not switch. Choose ${name} in the wallet itself.`
        : `This needs ${name}. Nothing is sent before you switch.`}
    </Notice>
  );
}
