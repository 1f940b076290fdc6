import { AppError, type Caller, isUnbound, isWithinBinding, type Route, scopeAllows } from '@castellan/contracts';

type NamedVault = { chain_id: number; vault_address: string };

const isVault = (value: unknown): value is NamedVault => {
  const { chain_id, vault_address } = (value ?? {}) as Partial<Record<keyof NamedVault, unknown>>;
  return typeof chain_id === 'number' && typeof vault_address === 'string';
};

/** Every vault that is asked about, by the params of the action: one, or a list `vaults`. */
function vaultsIn(input: unknown): NamedVault[] {
  const { vaults } = (input ?? {}) as { vaults?: unknown };
  return [input, ...(Array.isArray(vaults) ? vaults : [])].filter(isVault);
}

const short = (detail: string, scope: string) => new AppError('SCOPE_REQUIRED', detail, { data: { scope } });

/**
 * The caller that is passed to the services: verified, or undefined. Refuses what a token leaves out; what the wallet behind it may do
 * is the business of the services. On an optional route a token for another vault, or of a contract on another chain, sees what the public sees.
 * @throws AppError SCOPE_REQUIRED
 */
export function authorize(route: Route, caller: Caller | undefined, input: unknown): Caller | undefined {
  if (!caller) return undefined;
  const { scope = 'full', vault, chain_id } = caller;
  if (!scopeAllows(scope, route.scope)) {
    throw short(`This needs a token of scope ${route.scope}; yours has ${scope}.`, route.scope);
  }
  if (isUnbound(caller)) return caller;
  const named = vaultsIn(input);
  const isInside =
    named.length > 0 ? named.every((one) => isWithinBinding(caller, one)) : !vault || route.openToBoundTokens;
  if (isInside) return caller;
  if (route.auth === 'optional') return undefined;
  if (!vault)
    throw short(
      `Your wallet is a contract and is signed in on chain ${chain_id}, where it is known who its owners are. Sign in on the chain of this vault.`,
      route.scope,
    );
  throw short(
    `Your token is for the vault ${vault.vault_address} on chain ${vault.chain_id}; this takes one that is not bound to it.`,
    route.scope,
  );
}

/** Distinguishes callers who see different things: the public, a wallet, and each kind of token of a wallet. */
export function viewerOf(caller: Caller | undefined): string {
  if (!caller) return 'anonymous';
  const { wallet_address, scope = 'full', vault, chain_id } = caller;
  // Gateways of before, beside this one during an update, know the first three: an answer kept for a repeated request is found by them.
  const parts = [wallet_address, scope, vault ? `${vault.chain_id}:${vault.vault_address}` : '*'];
  return [...parts, ...(chain_id === undefined ? [] : [`on ${chain_id}`])].join(' ');
}
