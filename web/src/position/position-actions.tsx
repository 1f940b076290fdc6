import type { Asked } from '@castellan/sdk/calls';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useRef, useState } from 'react';
import { erc20Abi } from 'viem';
import { useReadContract } from 'wagmi';
import { keys } from '../data/queries.ts';
import type { AnalyticsResult } from '../data/use-analytics.ts';
import { Button } from '../design/button.tsx';
import { Skeleton } from '../design/states.tsx';
import { formatAmount } from '../format/amount.ts';
import { useViewer } from '../session/use-session.ts';
import { useBlockers } from '../signing/use-blockers.tsx';
import { assetsText } from '../vault/money.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { NetworkPrompt } from '../wallet/network-prompt.tsx';
import { WithWallets } from '../wallet/with-wallets.tsx';
import { AmountForm } from './amount-form.tsx';

/** What checks and signs a call is a part of its own: most who look at their position sign nothing. */
const PrepareDialog = lazy(async () => ({
  default: (await import('../signing/prepare-dialog.tsx')).PrepareDialog,
}));

type Position = AnalyticsResult<'analyticsPosition'>;
type Props = { shown: Shown; position: Position };

/** What a wallet can do with its position, as calls that it reviews and signs. */
export default function PositionActions(props: Props) {
  return (
    <WithWallets>
      <Actions {...props} />
    </WithWallets>
  );
}

/** Why nothing can be put in or asked for; undefined when it can. */
function closedBecause({ is_paused, is_pps_stale, pps_status }: Shown['vault']): string | undefined {
  if (is_paused) return 'The vault is paused: nothing can be deposited, and no redemption requested.';
  if (is_pps_stale || pps_status === 'expired')
    return 'The vault waits for its next price: until then nothing can be deposited, and no redemption requested.';
  return undefined;
}

type Form = 'deposit' | 'redeem';
type Chosen = { title: string; change: Asked };

function Actions({ shown, position }: Props) {
  const { vault } = shown;
  const queries = useQueryClient();
  const viewer = useViewer();
  const [form, setForm] = useState<Form>();
  const opener = useRef<Element>(undefined);
  const [chosen, setChosen] = useState<Chosen>();
  const { reason, action } = useBlockers();
  const closed = closedBecause(vault);
  const done = () => {
    setForm(undefined);
    void queries.invalidateQueries({ queryKey: keys.analytics(vault.chain_id, vault.vault_address, 'now') });
    void queries.invalidateQueries({ queryKey: keys.vault(viewer, vault.chain_id, vault.vault_address) });
  };
  const ask = (title: string, change: Asked) => setChosen({ title, change });
  const openForm = (next: Form, button: Element) => {
    opener.current = button;
    setForm(next);
  };
  const cancel = () => {
    setForm(undefined);
    // The button that was pressed leaves the page, and the focus must not leave with it.
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  return (
    <div className="flex flex-col gap-3">
      <NetworkPrompt chainId={vault.chain_id} />
      {reason === undefined ? null : (
        <p className="flex flex-wrap items-center gap-2 text-13 text-brass">
          {reason}
          {action}
        </p>
      )}
      <Buttons shown={shown} position={position} isClosed={closed !== undefined} onForm={openForm} onAsk={ask} />
      {closed === undefined || form !== undefined ? null : <p className="text-13 text-muted">{closed}</p>}
      {form === 'deposit' ? (
        <Deposit shown={shown} wallet={position.wallet_address} closed={closed} onAsk={ask} onCancel={cancel} />
      ) : null}
      {form === 'redeem' ? (
        <Redeem shown={shown} position={position} closed={closed} onAsk={ask} onCancel={cancel} />
      ) : null}
      {chosen === undefined ? null : (
        <Suspense fallback={<Skeleton className="h-9 w-full" />}>
          <PrepareDialog
            shown={shown}
            title={chosen.title}
            change={chosen.change}
            onDone={done}
            onClose={() => setChosen(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}

type Ask = (title: string, change: Asked) => void;
type ButtonsProps = Props & { isClosed: boolean; onForm: (form: Form, button: Element) => void; onAsk: Ask };

/** Only what there is something to do for; what the vault refuses now is shown, and cannot be pressed. */
function Buttons({ shown: { vault }, position, isClosed, onForm, onAsk }: ButtonsProps) {
  const { request, free_shares: free, claimable_assets: claimable, returnable_shares: returnable } = position;
  const isCancelled = request?.state === 'cancelling';
  return (
    <div className="flex flex-wrap gap-2">
      {claimable === '0' ? null : (
        <Button look="primary" onPress={() => onAsk('Claim', { kind: 'claim_redemption', args: {} })}>
          {`Claim ${assetsText(vault, claimable)}`}
        </Button>
      )}
      {returnable === '0' ? null : (
        <Button
          look="primary"
          onPress={() => onAsk('Take your shares back', { kind: 'claim_cancelled_shares', args: {} })}
        >
          {`Take ${formatAmount(returnable, vault.vault_share_decimals)} ${vault.symbol} back`}
        </Button>
      )}
      <Button isDisabled={isClosed} onPress={({ target }) => onForm('deposit', target)}>
        Deposit
      </Button>
      {free === '0' || isCancelled ? null : (
        <Button isDisabled={isClosed} onPress={({ target }) => onForm('redeem', target)}>
          Request a redemption
        </Button>
      )}
      {request === null || isCancelled ? null : (
        <Button onPress={() => onAsk('Cancel your request', { kind: 'cancel_redemption', args: {} })}>
          Cancel the request
        </Button>
      )}
    </div>
  );
}

type FormProps = { closed: string | undefined; onAsk: Ask; onCancel: () => void };

function Deposit({ shown: { vault }, wallet, closed, onAsk, onCancel }: FormProps & { shown: Shown; wallet: string }) {
  const { asset, chain_id: chainId } = vault;
  const balance = useReadContract({
    abi: erc20Abi,
    address: asset.address as `0x${string}`,
    chainId,
    functionName: 'balanceOf',
    args: [wallet as `0x${string}`],
  });
  return (
    <AmountForm
      label="Deposit"
      submit="Prepare deposit"
      unit={asset}
      all={balance.data?.toString()}
      note="At the price of the block that takes it. Where the vault may not take the amount yet, you first approve exactly that much: two signatures instead of one."
      closed={closed}
      onCancel={onCancel}
      onSubmit={(assets) => onAsk('Deposit', { kind: 'deposit', args: { assets } })}
    />
  );
}

function Redeem({ shown: { vault }, position, closed, onAsk, onCancel }: Props & FormProps) {
  return (
    <AmountForm
      label="Request a redemption"
      submit="Prepare request"
      unit={{ decimals: vault.vault_share_decimals, symbol: vault.symbol }}
      all={position.free_shares}
      note="Your shares wait in the escrow of the vault until a manager pays them, at the price of that moment. You can cancel until then."
      closed={closed}
      onCancel={onCancel}
      onSubmit={(shares) => onAsk('Request a redemption', { kind: 'request_redemption', args: { shares } })}
    />
  );
}
