/** What a wallet may do with its own position. Apart from the shapes of the arguments, which a page of reviews need not carry. */
const depositorKinds = [
  'deposit',
  'request_redemption',
  'cancel_redemption',
  'claim_redemption',
  'claim_cancelled_shares',
] as const;

/** A change that a wallet makes of its own position. */
export type DepositorKind = (typeof depositorKinds)[number];
/** Whether a change is of the caller's own position, and not of the vault. */
export const isDepositorKind = (kind: string): kind is DepositorKind =>
  (depositorKinds as readonly string[]).includes(kind);
