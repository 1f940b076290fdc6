import type { EventData, VaultDetail, VaultMeasured } from '@castellan/contracts';

/** Puts what the vault's history says into its detail; without measures those fields stay null. */
export function withMeasures(detail: VaultDetail, measures: EventData<typeof VaultMeasured> | undefined): VaultDetail {
  if (!measures) return detail;
  const apyOf = new Map(measures.allocation.map(({ source_address, apy }) => [source_address, apy]));
  return {
    ...detail,
    apy: measures.apy,
    upkeep_info: { ...detail.upkeep_info, runway_seconds: measures.runway_seconds },
    allocation: detail.allocation.map((item) => ({ ...item, apy: apyOf.get(item.source_address) ?? item.apy })),
  };
}
