const keyOf = (callId: string) => `castellan_proposal_${callId}`;

/** What a wallet that is a contract answered for a call, kept for as long as the tab is open: a reload must not propose it twice. */
export function keptProposal(callId: string): string | undefined {
  try {
    return sessionStorage.getItem(keyOf(callId)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepProposal(callId: string, proposal: string): void {
  try {
    sessionStorage.setItem(keyOf(callId), proposal);
  } catch {
    // Where nothing may be stored it is known until the page is left.
  }
}
