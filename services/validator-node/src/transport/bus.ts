import { readFile } from 'node:fs/promises';
import { type Logger, natsOptions, rememberSecret } from '@castellan/service-kit';
import { type ConnectionOptions, connect, credsAuthenticator, Events, type NatsConnection } from 'nats';
import { readSecretFile } from '../keys/files.ts';

export type BusSettings = {
  urls: readonly string[];
  credentials_file?: string | undefined;
  tls: { ca_file?: string | undefined; cert_file?: string | undefined; key_file?: string | undefined };
};

/** The connection protocol messages share; the client keeps it up for ever. */
export type ValidatorBus = {
  readonly nats: NatsConnection;
  isConnected(): boolean;
  /** Called at each loss and each return. */
  onState(listener: (isConnected: boolean) => void): void;
  close(): Promise<void>;
};

const reconnectJitterMs = 500;

async function authentication(file: string | undefined): Promise<Partial<ConnectionOptions>> {
  if (file === undefined) return {};
  const text = (await readSecretFile(file)).trim();
  if (text.startsWith('-----BEGIN NATS')) return { authenticator: credsAuthenticator(Buffer.from(text)) };
  const colon = text.indexOf(':');
  if (colon < 1) throw new Error(`${file} must be NATS credentials (.creds) or hold user:password.`);
  rememberSecret(text.slice(colon + 1));
  return { user: text.slice(0, colon), pass: text.slice(colon + 1) };
}

async function encryption(
  { ca_file, cert_file, key_file }: BusSettings['tls'],
  wanted: boolean,
): Promise<Partial<ConnectionOptions>> {
  if (!wanted && [ca_file, cert_file, key_file].every((file) => file === undefined)) return {};
  const ca = ca_file && (await readFile(ca_file, 'utf8'));
  const cert = cert_file && (await readFile(cert_file, 'utf8'));
  const key = key_file && (await readSecretFile(key_file));
  return { tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } };
}

/** Connects, waiting for the first server as long as it takes; own messages do not come back. */
export async function connectBus(settings: BusSettings, options: { name: string; log: Logger }): Promise<ValidatorBus> {
  const common = natsOptions(settings.urls.join(','));
  const nats = await connect({
    ...common,
    ...(await authentication(settings.credentials_file)),
    ...(await encryption(settings.tls, common.tls !== undefined)),
    name: options.name,
    noEcho: true,
    reconnectJitter: reconnectJitterMs,
  });
  let connected = true;
  const listeners: ((isConnected: boolean) => void)[] = [];
  const watch = async () => {
    for await (const { type } of nats.status()) {
      if (type !== Events.Disconnect && type !== Events.Reconnect) continue;
      connected = type === Events.Reconnect;
      options.log[connected ? 'info' : 'warn']('message bus changed', { connected });
      for (const listener of listeners) listener(connected);
    }
  };
  void watch();
  return {
    nats,
    isConnected: () => connected && !nats.isClosed(),
    onState: (listener) => void listeners.push(listener),
    close: () => (connected ? nats.drain() : nats.close()),
  };
}
