import { channelProviders } from '@castellan/contracts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../client/services.ts';
import { CopyButton } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { Field } from '../design/field.tsx';
import { Failure, Notice } from '../design/states.tsx';
import { providerWords } from './alert-labels.ts';
import { ConfigInputs, configOf, emptyConfig, isComplete } from './channel-inputs.tsx';
import type { Channel } from './queries.ts';
import { useRefresh } from './use-refresh.ts';

type Provider = Channel['provider'];
const providers = channelProviders.map((value) => ({ value, label: providerWords[value] }));

export function NewChannel() {
  const { api } = useApp();
  const refresh = useRefresh();
  const [provider, setProvider] = useState<Provider>('slack');
  const [name, setName] = useState('');
  const [config, setConfig] = useState(emptyConfig);
  const create = useMutation({
    mutationFn: () => api.createChannel({ body: { provider, name, config: configOf(provider, config) } }),
    onSuccess: () => {
      setName('');
      setConfig(emptyConfig);
      return refresh();
    },
  });
  const isReady = name.trim() !== '' && isComplete(provider, config);
  return (
    <form
      className="flex flex-col gap-3 border-t p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) create.mutate();
      }}
    >
      <div className="flex flex-wrap items-start gap-2">
        <Choice label="Kind" value={provider} options={providers} onChange={setProvider} className="w-full sm:w-32" />
        <Field label="Name of the channel" value={name} onChange={setName} className="w-full sm:w-48" />
        <ConfigInputs provider={provider} config={config} onChange={setConfig} />
        <Button type="submit" look="primary" isDisabled={!isReady || create.isPending} className="sm:mt-6">
          {create.isPending ? 'Making' : 'Make channel'}
        </Button>
      </div>
      {create.isError ? <Failure error={create.error} title="The channel was not made" /> : null}
      {create.data?.secret ? (
        <Notice tone="warn" title="Copy the secret of this webhook now: it is not shown again">
          <span className="flex items-start gap-1">
            <code className="min-w-0 flex-1 font-mono text-12 break-all">{create.data.secret}</code>
            <CopyButton value={create.data.secret} what="secret" />
          </span>
        </Notice>
      ) : null}
    </form>
  );
}
