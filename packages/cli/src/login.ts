import { terminalCode, terminalFragment, terminalPath } from '@castellan/contracts';
import { createClient, createSession, type SigningWallet } from '@castellan/sdk';
import { waitForWallet } from './browser-wallet.ts';
import { type Command, command, UsageError, type ValuesOf, type World } from './command.ts';
import {
  apiOptions,
  clientFor,
  forgetSession,
  namingFetch,
  type SavedSession,
  saveSession,
  urlOf,
} from './session-file.ts';
import { columns } from './usage.ts';
import { walletOf, walletOptions } from './wallet.ts';

async function chainOf(
  chain: string | undefined,
  { client }: Pick<ReturnType<typeof clientFor>, 'client'>,
): Promise<number> {
  if (chain !== undefined) return Number(chain);
  const [first] = (await client.chains({})).chains;
  if (first === undefined) throw new UsageError('The deployment has no chain: name one with --chain.');
  return first.chain_id;
}

/** A wallet elsewhere: the person signs the message there and pastes the signature here. */
function pastedBy(address: string | undefined, { ask, err }: World): SigningWallet {
  if (address === undefined)
    throw new UsageError(
      'Name a --keystore, sign with --browser, or name the --address of a wallet that signs elsewhere.',
    );
  if (ask === undefined) throw new UsageError('Nobody is there to paste a signature: name a --keystore.');
  const signMessage = async ({ message }: { message: string }) => {
    err(`Sign this message with ${address} (personal_sign):\n\n${message}\n\n`);
    return (await ask('Signature: ')).trim();
  };
  return { address, signMessage, signTypedData: signMessage };
}

const loginOptions = {
  ...apiOptions,
  ...walletOptions,
  browser: { summary: 'has a wallet in your browser sign, on a page of the deployment' },
  address: {
    value: '0x...',
    summary:
      'of a wallet that signs elsewhere: prints the message, takes the signature; with --browser no other may sign in',
  },
  chain: { value: 'ID', summary: 'the chain that the sign-in names; else the first one of the deployment' },
  'public-url': {
    value: 'URL',
    summary: 'the address by which the deployment is known, where it is another than the URL',
  },
} as const;

type LoginValues = ValuesOf<typeof loginOptions>;

/** As long as what a wallet signs may be used. */
const browserMinutes = 5;

/** Signs in with what a wallet signs on a page of the deployment; the token is asked for here, and never in the browser. */
async function byBrowser(values: LoginValues, url: string, world: World): Promise<SavedSession> {
  const { browse, err, signal } = world;
  const asking = { baseUrl: url, fetch: namingFetch(url, world.fetch) };
  const client = createClient(asking);
  const late = AbortSignal.timeout(browserMinutes * 60_000);
  const waiting = await waitForWallet(
    async (proof) => {
      const { access_token, wallet_address } = await client.createToken({ body: proof });
      if (values.address === undefined || values.address.toLowerCase() === wallet_address.toLowerCase())
        return { url, wallet_address, access_token };
      await createClient({ ...asking, token: access_token }).logout({});
      throw new Error(`${wallet_address} signed, and not ${values.address}. Nobody is signed in.`);
    },
    signal === undefined ? late : AbortSignal.any([signal, late]),
  );
  const page = `${urlOf(values['public-url'] ?? url, world)}${terminalPath}${terminalFragment(waiting)}`;
  err(`Sign in on this page, if it shows the code ${terminalCode(waiting)}:\n\n${page}\n\n`);
  browse?.(page);
  try {
    return await waiting.outcome;
  } catch (error) {
    if (error !== late.reason) throw error;
    throw new Error(`Nothing was signed within ${browserMinutes} minutes.`);
  }
}

async function byKey(values: LoginValues, url: string, world: World): Promise<SavedSession> {
  const account = await walletOf(values, world);
  const session = createSession({
    baseUrl: url,
    wallet: account ?? pastedBy(values.address, world),
    method: account === undefined ? 'siwe' : 'eip712',
    chainId: await chainOf(values.chain, clientFor(values.url, world)),
    ...(values['public-url'] === undefined ? {} : { publicUrl: values['public-url'] }),
    fetch: namingFetch(url, world.fetch),
  });
  return { url, wallet_address: session.wallet_address, access_token: await session.token() };
}

const login = command({
  path: 'login',
  summary:
    'Signs in with a key, a wallet in your browser or a signature that you paste, and keeps the token for this user of the machine',
  options: loginOptions,
  run: async ({ values }, world) => {
    const url = urlOf(values.url, world);
    if (values.browser && values.keystore !== undefined)
      throw new UsageError('A --keystore signs here, a wallet with --browser in the browser: name one of them.');
    const signedIn = await (values.browser ? byBrowser : byKey)(values, url, world);
    const file = saveSession(world.env, signedIn);
    const { wallet_address } = signedIn;
    world.out(
      values.json
        ? `${JSON.stringify({ url, wallet_address, file })}\n`
        : `Signed in at ${url} as ${wallet_address}. The token is in ${file}.\n`,
    );
    return 0;
  },
});

const logout = command({
  path: 'logout',
  summary: 'Ends the session everywhere and forgets its token',
  options: apiOptions,
  run: async ({ values }, world) => {
    const { client } = clientFor(values.url, world);
    // What the server does not know any more is forgotten all the same.
    await client.logout({}).catch((error: unknown) => world.err(`${(error as Error).message}\n`));
    forgetSession(world.env);
    world.out(values.json ? '{}\n' : 'Signed out.\n');
    return 0;
  },
});

const whoami = command({
  path: 'whoami',
  summary: 'The wallet that is signed in, and its roles',
  options: apiOptions,
  run: async ({ values }, world) => {
    const me = await clientFor(values.url, world).client.me({});
    const rows = me.vaults.map(({ chain_id, vault_address, role }) => [`${chain_id}:${vault_address}`, role]);
    world.out(values.json ? `${JSON.stringify(me, undefined, 2)}\n` : `${me.wallet_address}\n${columns(rows)}`);
    return 0;
  },
});

/** Signing in and out. */
export const loginCommands: readonly Command[] = [login, logout, whoami];
