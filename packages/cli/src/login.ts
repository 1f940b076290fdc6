import { createSession, type SigningWallet } from '@castellan/sdk';
import { type Command, command, UsageError, type World } from './command.ts';
import { apiOptions, clientFor, forgetSession, saveSession, urlOf } from './session-file.ts';
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
    throw new UsageError('Name a --keystore, or the --address of a wallet that signs elsewhere.');
  if (ask === undefined) throw new UsageError('Nobody is there to paste a signature: name a --keystore.');
  const signMessage = async ({ message }: { message: string }) => {
    err(`Sign this message with ${address} (personal_sign):\n\n${message}\n\n`);
    return (await ask('Signature: ')).trim();
  };
  return { address, signMessage, signTypedData: signMessage };
}

const login = command({
  path: 'login',
  summary: 'Signs in with a key, or with a signature that you paste, and keeps the token for this user of the machine',
  options: {
    ...apiOptions,
    ...walletOptions,
    address: { value: '0x...', summary: 'of a wallet that signs elsewhere: prints the message, takes the signature' },
    chain: { value: 'ID', summary: 'the chain that the sign-in names; else the first one of the deployment' },
    'public-url': {
      value: 'URL',
      summary: 'the address by which the deployment is known, where it is another than the URL',
    },
  },
  run: async ({ values }, world) => {
    const url = urlOf(values.url, world);
    const account = await walletOf(values, world);
    const session = createSession({
      baseUrl: url,
      wallet: account ?? pastedBy(values.address, world),
      method: account === undefined ? 'siwe' : 'eip712',
      chainId: await chainOf(values.chain, clientFor(values.url, world)),
      ...(values['public-url'] === undefined ? {} : { publicUrl: values['public-url'] }),
      ...(world.fetch === undefined ? {} : { fetch: world.fetch }),
    });
    const { wallet_address } = session;
    const file = saveSession(world.env, { url, wallet_address, access_token: await session.token() });
    const done = { url, wallet_address, file };
    world.out(
      values.json
        ? `${JSON.stringify(done)}\n`
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
