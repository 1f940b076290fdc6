import type { RouteResult, Routes } from '@castellan/contracts';
import { createClient } from './client.ts';
import { systemClock } from './clock.ts';
import type { ClientOptions } from './types.ts';

type Signs = {
  signMessage: (parameters: never) => Promise<string>;
  signTypedData: (parameters: never) => Promise<string>;
};
/** What signs in: an account of viem (`privateKeyToAccount`), or one of its wallet clients with an account. */
export type SigningWallet = Signs & ({ address: string } | { account: { address: string } });

/** How to sign in. */
export type SessionOptions = Pick<ClientOptions, 'baseUrl' | 'fetch' | 'clock' | 'retries'> & {
  wallet: SigningWallet;
  chainId: number;
  /** `eip712` (default) is readable on hardware wallets; `siwe` is what wallets of contracts sign more often. */
  method?: 'eip712' | 'siwe';
  /** The public address of the deployment, where it is another than `baseUrl`: nothing else is signed for. */
  publicUrl?: string;
  /** How long before its end a token is renewed. Default 60 s. */
  renewBeforeSeconds?: number;
};

/** A wallet that is signed in as long as it is needed. */
export type Session = {
  readonly wallet_address: string;
  /** The current token; signs in first, and again shortly before a token ends. Give it to `createClient` as `token`. */
  token: () => Promise<string>;
  /** Lets the wallet sign again, for what answers `STEP_UP_REQUIRED`. */
  stepUp: () => Promise<void>;
  /** Ends the session everywhere. A later `token` signs in anew. */
  end: () => Promise<void>;
};

type Challenge = RouteResult<Routes['nonce']>;

/** A server could pass on what another site wants signed; so what is signed must be a sign-in of this wallet at this address. */
function assertOwn({ typed_data, siwe_message }: Challenge, address: string, chainId: number, publicUrl: string): void {
  const { host, origin } = new URL(publicUrl);
  const { primaryType, domain, message } = typed_data;
  const lines = siwe_message.split('\n');
  const isOwn =
    primaryType === 'Authentication' &&
    domain.chainId === chainId &&
    message.uri === origin &&
    message.wallet.toLowerCase() === address.toLowerCase() &&
    lines[0] === `${host} wants you to sign in with your Ethereum account:` &&
    lines[1]?.toLowerCase() === address.toLowerCase() &&
    lines.includes(`URI: ${origin}`);
  if (!isOwn)
    throw new Error(
      `The server asks for a signature for ${message.uri}, not for ${origin}. If it is known by that address, give it as publicUrl.`,
    );
}

const accountOf = (wallet: SigningWallet) => ('account' in wallet ? wallet.account : { address: wallet.address });

async function sign(wallet: SigningWallet, method: 'eip712' | 'siwe', { typed_data, siwe_message }: Challenge) {
  const account = 'account' in wallet ? { account: wallet.account } : {};
  if (method === 'siwe') {
    const signature = await wallet.signMessage({ ...account, message: siwe_message } as never);
    return { method, message: siwe_message, signature } as const;
  }
  const signature = await wallet.signTypedData({ ...account, ...typed_data } as never);
  return { method, typed_data, signature } as const;
}

/**
 * Signs a wallet in, and keeps it signed in.
 * @example
 * const wallet = { address: wallet_address, signMessage: async () => signature, signTypedData: async () => signature };
 * const session = createSession({ baseUrl: 'https://app.example.org', chainId: 1, wallet });
 * const signedIn = createClient({ baseUrl: 'https://app.example.org', token: session.token });
 */
export function createSession(options: SessionOptions): Session {
  const { wallet, chainId, method = 'eip712', renewBeforeSeconds = 60, clock = systemClock } = options;
  const { address } = accountOf(wallet);
  const client = createClient(options);
  let current: { token: string; endsAt: number } | undefined;
  let signing: Promise<string> | undefined;

  async function signed() {
    const challenge = await client.createNonce({ body: { address, chain_id: chainId } });
    assertOwn(challenge, address, chainId, options.publicUrl ?? options.baseUrl);
    return sign(wallet, method, challenge);
  }
  const keep = ({ access_token, expires_in }: RouteResult<Routes['token']>) => {
    current = { token: access_token, endsAt: clock.now() + expires_in * 1000 };
    return access_token;
  };
  const held = () =>
    current !== undefined && clock.now() < current.endsAt - renewBeforeSeconds * 1000 ? current.token : undefined;
  const token = async () => {
    // Callers at the same time share one signature.
    signing ??= signed()
      .then((body) => client.createToken({ body }))
      .then(keep)
      .finally(() => (signing = undefined));
    return signing;
  };
  return {
    wallet_address: address,
    token: async () => held() ?? token(),
    stepUp: async () => {
      const own = createClient({ ...options, token: held() ?? (await token()) });
      keep(await own.stepUp({ body: await signed() }));
    },
    end: async () => {
      const running = held();
      current = undefined;
      if (running !== undefined) await createClient({ ...options, token: running }).logout({});
    },
  };
}
