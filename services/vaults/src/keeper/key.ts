import { readFileSync } from 'node:fs';
import { rememberSecret } from '@castellan/service-kit';
import type { TransactionSigner } from '@castellan/transactor';
import * as Keystore from 'ox/Keystore';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

/** Where the key is. It is held by this process alone. */
export type KeySource = { privateKey: Hex } | { file: string; unlockFile: string };

/** @throws Error when the keystore cannot be read or opened; the message holds neither key nor password. */
async function privateKeyOf(source: KeySource): Promise<Hex> {
  if ('privateKey' in source) return source.privateKey;
  let keystore: Keystore.Keystore;
  let password: string;
  try {
    keystore = JSON.parse(readFileSync(source.file, 'utf8')) as Keystore.Keystore;
    password = readFileSync(source.unlockFile, 'utf8').trim();
  } catch {
    throw new Error('KEEPER_KEYSTORE_FILE or KEEPER_UNLOCK_FILE cannot be read.');
  }
  try {
    return Keystore.decrypt(keystore, await Keystore.toKeyAsync(keystore, { password }));
  } catch {
    throw new Error('The password in KEEPER_UNLOCK_FILE does not open KEEPER_KEYSTORE_FILE.');
  }
}

export async function signerOf(source: KeySource): Promise<TransactionSigner> {
  const privateKey = await privateKeyOf(source);
  rememberSecret(privateKey);
  rememberSecret(privateKey.slice(2));
  return privateKeyToAccount(privateKey);
}
