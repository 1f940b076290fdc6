import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApp } from '../client/services.ts';
import { type MyVault, paramsOf } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { Failure } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { formatCount, formatCounted } from '../format/figures.ts';
import { ChannelBinding } from './channel-binding.tsx';
import type { Channel } from './queries.ts';
import { useRefresh } from './use-refresh.ts';

/** With more vaults than this they are searched, and no more of them stand there at once. */
const MOST_BUTTONS = 8;
/** How far a channel is on each of its vaults is a read of its own that comes again every few seconds. */
const MOST_WATCHED = 3;

export const isOn = ({ vaults }: Channel, { chain_id, vault_address }: MyVault): boolean =>
  vaults.some((each) => each.chain_id === chain_id && each.vault_address === vault_address);
const keyOf = ({ chain_id, vault_address }: MyVault): string => `${chain_id}:${vault_address}`;

const fits = ({ name, symbol = '', vault_address }: MyVault, text: string): boolean =>
  [name, symbol, vault_address].some((field) => field.toLowerCase().includes(text));

type PickerProps = { channel: Channel; managed: readonly MyVault[] };

/** The vaults it sends alerts of; a press binds or unbinds one. */
export function VaultPicker({ channel, managed }: PickerProps) {
  const { api } = useApp();
  const [text, setText] = useState('');
  const toggle = useMutation({
    mutationFn: ({ vault, isBound }: { vault: MyVault; isBound: boolean }) => {
      const params = { channel_id: channel.channel_id, ...paramsOf(vault) };
      return isBound ? api.unbindChannel({ params }) : api.bindChannel({ params, body: {} });
    },
    onSuccess: useRefresh(),
  });
  if (managed.length === 0) return null;
  const isMany = managed.length > MOST_BUTTONS;
  const found = isMany ? managed.filter((vault) => fits(vault, text.trim().toLowerCase())) : managed;
  const shown = found.slice(0, MOST_BUTTONS);
  return (
    <>
      {isMany ? (
        <Field
          label={`Search vaults for ${channel.name}`}
          placeholder="Name, symbol or address"
          value={text}
          onChange={setText}
          className="max-w-80"
        />
      ) : null}
      <fieldset className="flex flex-wrap gap-2">
        <legend className="mb-1 text-13 font-medium">Vaults</legend>
        {shown.map((vault) => {
          const isBound = isOn(channel, vault);
          return (
            <Button
              key={keyOf(vault)}
              look={isBound ? 'primary' : 'secondary'}
              aria-pressed={isBound}
              isDisabled={toggle.isPending}
              onPress={() => toggle.mutate({ vault, isBound })}
            >
              {vault.name}
            </Button>
          );
        })}
      </fieldset>
      {isMany ? (
        <p role="status" className="text-12 text-muted">
          {`${formatCount(shown.length)} of ${formatCounted(found.length, 'vault')} found; it is on ${formatCount(managed.filter((vault) => isOn(channel, vault)).length)} of ${formatCount(managed.length)}.`}
        </p>
      ) : null}
      <BindAll channel={channel} others={managed.filter((vault) => !isOn(channel, vault))} />
      {toggle.isError ? <Failure error={toggle.error} title="The vault was not changed" /> : null}
    </>
  );
}

/** Puts it on all at once. Asks first: they are taken away one by one. */
function BindAll({ channel, others }: { channel: Channel; others: readonly MyVault[] }) {
  const { api } = useApp();
  const [step, setStep] = useState<'fresh' | 'asked' | 'kept'>('fresh');
  const bind = useMutation({
    // One after the other: where one is refused the rest can be tried again.
    mutationFn: async () => {
      for (const vault of others)
        await api.bindChannel({ params: { channel_id: channel.channel_id, ...paramsOf(vault) }, body: {} });
    },
    onSuccess: () => {
      toast({ tone: 'info', title: `${channel.name} is on ${formatCounted(others.length, 'more vault')}` });
      setStep('fresh');
    },
    onSettled: useRefresh(),
  });
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (step === 'kept') opener.current?.focus();
  }, [step]);
  if (others.length < (bind.isError ? 1 : 2)) return null;
  const count = formatCount(others.length);
  const sure = `Yes, on ${formatCounted(others.length, 'more vault')}`;
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {step === 'asked' ? (
          <>
            <Button
              look="primary"
              autoFocus
              // The name is the user's own, and a button does not wrap.
              aria-label={bind.isPending ? 'Putting it there' : `${sure}: ${channel.name}`}
              isDisabled={bind.isPending}
              onPress={() => bind.mutate()}
            >
              {bind.isPending ? 'Putting it there' : sure}
            </Button>
            <Button look="quiet" isDisabled={bind.isPending} onPress={() => setStep('kept')}>
              Not now
            </Button>
          </>
        ) : (
          <Button
            look="quiet"
            ref={opener}
            aria-label={`Put ${channel.name} on all vaults`}
            onPress={() => setStep('asked')}
          >
            {`Put it on all, ${count} more`}
          </Button>
        )}
      </div>
      {bind.isError ? <Failure error={bind.error} title="It was not put on all of them" /> : null}
    </>
  );
}

/** How far it is on its vaults: on each of a few, of many on the one that is chosen. */
export function BoundVaults({ channel, bound }: { channel: Channel; bound: readonly MyVault[] }) {
  const [chosen, setChosen] = useState('');
  const isMany = bound.length > MOST_WATCHED;
  const watched = isMany ? bound.filter((vault) => keyOf(vault) === chosen) : bound;
  return (
    <>
      {isMany ? (
        <Choice
          label={`How far ${channel.name} is with`}
          value={watched.length === 0 ? '' : chosen}
          options={[
            { value: '', label: `Choose one of ${formatCount(bound.length)} vaults` },
            ...bound.map((vault) => ({ value: keyOf(vault), label: vault.name })),
          ]}
          onChange={setChosen}
          className="max-w-80"
        />
      ) : null}
      {watched.length === 0 ? null : (
        <ul aria-label={`Vaults of ${channel.name}`} className="flex flex-col gap-2">
          {watched.map((vault) => (
            <ChannelBinding key={keyOf(vault)} channel={channel} vault={vault} />
          ))}
        </ul>
      )}
    </>
  );
}
