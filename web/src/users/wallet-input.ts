import { Address } from '@castellan/contracts';

export type WalletInput = { address: string } | { error: string };

/** What was typed as an address: its EIP-55 form, or what is wrong with it in words. */
export function readWallet(text: string): WalletInput {
  const trimmed = text.trim();
  if (trimmed === '') return { error: 'Enter the address of a wallet.' };
  const parsed = Address.safeParse(trimmed);
  if (parsed.success) {
    return /^0x0{40}$/.test(parsed.data) ? { error: 'The zero address belongs to nobody.' } : { address: parsed.data };
  }
  return {
    error: /^0x[0-9a-fA-F]{40}$/.test(trimmed)
      ? 'The address fails its checksum: a character was mistyped. Copy it again.'
      : 'An address is 0x followed by 40 hexadecimal digits.',
  };
}
