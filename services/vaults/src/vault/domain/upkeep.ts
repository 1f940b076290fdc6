import { upkeepRunwaySeconds, type VaultState } from '@castellan/chain';
import type { VaultDetail } from '@castellan/contracts';
import { getAddress } from 'viem/utils';

/**
 * Upkeep and what follows from it. Required is what one price update costs: with less, the next report pauses the vault.
 * While upkeep is switched off, or its price is unknown (updates are then free), nothing is required.
 * @returns Amounts in base units of the upkeep token. `runway_seconds` needs the update history and is left null.
 */
export function upkeepOf({ upkeep: state, minUpdateInterval }: Pick<VaultState, 'upkeep' | 'minUpdateInterval'>): Pick<
  VaultDetail,
  'activation'
> & {
  upkeep: VaultDetail['upkeep_info'];
} {
  const required = state.enabled ? (state.costPerUpdate ?? 0n) : 0n;
  const shortfall = required > state.balance ? required - state.balance : 0n;
  const funded = shortfall === 0n;
  return {
    upkeep: {
      balance: `${state.balance}`,
      token: state.token && getAddress(state.token.address),
      symbol: state.token?.symbol ?? null,
      decimals: state.token?.decimals ?? null,
      enabled: state.enabled,
      threshold: { required_balance: `${required}`, shortfall: `${shortfall}` },
      runway_seconds: null,
      runway_worst_case_seconds: upkeepRunwaySeconds({
        balance: state.balance,
        costPerUpdate: required,
        reports: 1,
        seconds: Number(minUpdateInterval),
      }),
    },
    activation: {
      is_active: funded,
      is_discoverable: funded,
      status: funded ? 'active' : 'insufficient_upkeep',
      reason: funded ? null : 'The upkeep balance does not pay for one price update.',
    },
  };
}
