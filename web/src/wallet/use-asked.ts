import { useState } from 'react';
import { useConfig } from 'wagmi';
import type { Asked } from '../digests/digests.ts';
import { signerOf } from './signer.ts';

/** The connected wallet as a signer, and what it was asked to sign last. */
export function useAsked() {
  const [asked, setAsked] = useState<Asked>();
  return { signer: signerOf(useConfig(), setAsked), asked };
}
