import { Field } from '../design/field.tsx';
import type { Channel } from './queries.ts';

type Provider = Channel['provider'];
/** What is typed of where a channel goes; empty where nothing was. */
export type ConfigDraft = { url: string; secret: string; to: string };
type Name = keyof ConfigDraft;
type Wanted = { name: Name; label: string; hint?: string; isOptional?: boolean };

export const emptyConfig: ConfigDraft = { url: '', secret: '', to: '' };

const europe = (host: string): Wanted => ({
  name: 'url',
  label: 'URL',
  hint: `Empty is the United States. Europe is https://${host}/`,
  isOptional: true,
});

/** What each kind of channel is asked for when it is made. A webhook's secret is made for it. */
const wanted: Readonly<Record<Provider, readonly Wanted[]>> = {
  slack: [{ name: 'url', label: 'URL', hint: 'Of an incoming webhook.' }],
  email: [{ name: 'to', label: 'Address', hint: 'Of a domain that your operator allows.' }],
  telegram: [
    { name: 'secret', label: 'Token of the bot' },
    { name: 'to', label: 'Chat', hint: 'Its number, or @ and the name of a channel. The bot has to be in it.' },
  ],
  pagerduty: [
    { name: 'secret', label: 'Integration key', hint: 'Of an Events API v2 integration.' },
    europe('events.eu.pagerduty.com'),
  ],
  opsgenie: [{ name: 'secret', label: 'API key', hint: 'Of an API integration.' }, europe('api.eu.opsgenie.com')],
  webhook: [{ name: 'url', label: 'URL' }],
  websocket: [],
};

const filled = (config: ConfigDraft) =>
  Object.fromEntries(
    Object.entries(config)
      .map(([name, value]) => [name, value.trim()])
      .filter(([, value]) => value !== ''),
  ) as Partial<ConfigDraft>;

/** What was typed, for the kinds of input that this kind of channel has. */
export const configOf = (provider: Provider, config: ConfigDraft): Partial<ConfigDraft> => {
  const names = new Set(wanted[provider].map(({ name }) => name));
  if (provider === 'webhook') names.add('secret');
  return filled({ ...emptyConfig, ...Object.fromEntries([...names].map((name) => [name, config[name]])) });
};

/** Whether everything that a new channel of this kind needs was typed. */
export const isComplete = (provider: Provider, config: ConfigDraft): boolean =>
  wanted[provider].every(({ name, isOptional }) => isOptional || config[name].trim() !== '');

type Props = { provider: Provider; config: ConfigDraft; onChange: (config: ConfigDraft) => void };

/** The inputs of a new channel, by its kind. */
export function ConfigInputs({ provider, config, onChange }: Props) {
  return wanted[provider].map(({ name, label, hint }) => (
    <Field
      key={name}
      label={label}
      mono
      value={config[name]}
      hint={hint}
      onChange={(value) => onChange({ ...config, [name]: value })}
      autoComplete="off"
      className="w-full sm:w-auto sm:min-w-64 sm:flex-1"
    />
  ));
}

/** The inputs of one that there is: nothing secret is shown again, and what is left empty stays. */
export function NewConfigInputs({ channel, config, onChange, faults }: ChangeProps) {
  const { provider } = channel;
  const asked: readonly Wanted[] =
    provider === 'webhook' ? [...wanted.webhook, { name: 'secret', label: 'Secret' }] : wanted[provider];
  const shown = { url: channel.config.url ?? '', to: channel.config.to ?? '', secret: '' };
  return asked.map(({ name, label }) => (
    <Field
      key={name}
      label={`New ${label === 'URL' ? label : `${label[0]?.toLowerCase()}${label.slice(1)}`}`}
      mono
      value={config[name]}
      placeholder={shown[name]}
      error={faults?.[name]}
      hint={hintOf(provider, name)}
      onChange={(value) => onChange({ ...config, [name]: value })}
      autoComplete="off"
    />
  ));
}

type ChangeProps = Omit<Props, 'provider'> & { channel: Channel; faults?: Partial<Record<Name, string | undefined>> };

const hintOf = (provider: Provider, name: Name): string =>
  provider === 'webhook' && name === 'secret'
    ? 'Empty keeps the one it has. The receiver checks signatures by it.'
    : `Empty keeps the one it has.${name === 'secret' ? '' : ' What waits goes to the new one.'}`;
