import { existsSync, readFileSync, statSync } from 'node:fs';
import { Keystore } from 'ox';
import type { LocalAccount } from 'viem';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { pathOf, UsageError, type ValuesOf, type World } from './command.ts';

/** Which key signs. */
export const walletOptions = {
  keystore: {
    value: 'FILE',
    summary: 'an encrypted key (JSON, version 3); else WALLET_PRIVATE_KEY, else WALLET_MNEMONIC',
  },
  'passphrase-file': { value: 'FILE', summary: "with the keystore's passphrase (mode 600); else it is asked for" },
} as const;

function assertThere(file: string): void {
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}.`, '');
}

async function passphraseOf(file: string | undefined, { ask }: World): Promise<string> {
  if (file !== undefined) {
    assertThere(file);
    if ((statSync(file).mode & 0o077) !== 0) throw new Error(`Others may read ${file}. Run chmod 600 ${file}.`);
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  }
  if (ask === undefined) throw new UsageError('Nobody is there to type the passphrase: name --passphrase-file.');
  return ask('Passphrase of the keystore: ', true);
}

function unlocked(file: string, password: string): LocalAccount {
  const keystore = JSON.parse(readFileSync(file, 'utf8')) as Keystore.Keystore;
  try {
    return privateKeyToAccount(Keystore.decrypt(keystore, Keystore.toKey(keystore, { password })));
  } catch {
    // The cause could hold parts of the key.
    throw new Error(`${file} does not open: it is no keystore of version 3, or the passphrase is another.`);
  }
}

function accountOf(key: string): LocalAccount {
  // An error of a library could show what it was given.
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new UsageError('WALLET_PRIVATE_KEY is not 0x and 64 hexadecimal digits.');
  return privateKeyToAccount(key as `0x${string}`);
}

/** The key that signs; undefined when none is named. */
export async function walletOf(
  { keystore, 'passphrase-file': file }: ValuesOf<typeof walletOptions>,
  world: World,
): Promise<LocalAccount | undefined> {
  const { env } = world;
  if (keystore !== undefined) {
    assertThere(pathOf(keystore, env));
    const passphrase = await passphraseOf(file === undefined ? undefined : pathOf(file, env), world);
    return unlocked(pathOf(keystore, env), passphrase);
  }
  const { WALLET_PRIVATE_KEY, WALLET_MNEMONIC, WALLET_INDEX = '0' } = env;
  if (WALLET_PRIVATE_KEY) return accountOf(WALLET_PRIVATE_KEY);
  return WALLET_MNEMONIC ? mnemonicToAccount(WALLET_MNEMONIC, { addressIndex: Number(WALLET_INDEX) }) : undefined;
}
