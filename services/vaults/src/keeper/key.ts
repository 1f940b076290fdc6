import { readFileSync } from 'node:fs';
import { rememberSecret } from '@castellan/service-kit';
import { openSigner, transactionSigner } from '@castellan/signer';
import type { TransactionSigner } from '@castellan/transactor';
import * as Keystore from 'ox/Keystore';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** Where a key is: held by this process alone, or by a key service that signs for it (`SERVICE:NAME`). */
export type KeySource = { privateKey: Hex } | { file: string; unlockFile: string } | { kmsKey: string };

type LocalSource = Exclude<KeySource, { kmsKey: string }>;

/** @throws Error when the keystore cannot be read or opened; the message holds neither key nor password. */
function privateKeyOf(source: LocalSource): Hex {
  if ('privateKey' in source) return source.privateKey;
  const { file, unlockFile } = source;
  let keystore: Keystore.Keystore;
  let password: string;
  try {
    keystore = JSON.parse(readFileSync(file, 'utf8')) as Keystore.Keystore;
    password = readFileSync(unlockFile, 'utf8').trim();
  } catch {
    throw new Error(`The keystore ${file} or the file with its password, ${unlockFile}, cannot be read.`);
  }
  try {
    // toKeyAsync of ox 0.14.45 takes r = 1 and p = 8 whatever the keystore says, and so opens none that geth wrote.
    return Keystore.decrypt(keystore, Keystore.toKey(keystore, { password }));
  } catch {
    throw new Error(`The password in ${unlockFile} does not open the keystore ${file}.`);
  }
}

/** @throws KeyServiceError when a key service does not let it sign. */
export async function signerOf(source: KeySource): Promise<TransactionSigner> {
  if ('kmsKey' in source) return transactionSigner(await openSigner(source.kmsKey));
  const privateKey = privateKeyOf(source);
  rememberSecret(privateKey);
  rememberSecret(privateKey.slice(2));
  return privateKeyToAccount(privateKey);
}

/**
 * Opens every key before anything runs: one that cannot be used would else be found by a vault that waits for it.
 * @param ofChains - Keys of single chains, by chain id; the others have the common one.
 */
export async function signersOf(
  common: KeySource | undefined,
  ofChains: ReadonlyMap<number, { key: KeySource | undefined }>,
): Promise<(chainId: number) => TransactionSigner> {
  const shared = common && (await signerOf(common));
  const own = new Map<number, TransactionSigner>();
  for (const [chainId, { key }] of ofChains) if (key) own.set(chainId, await signerOf(key));
  return (chainId) => {
    const signer = own.get(chainId) ?? shared;
    if (!signer) throw new Error(`The keeper has no key for the chain ${chainId}.`);
    return signer;
  };
}
