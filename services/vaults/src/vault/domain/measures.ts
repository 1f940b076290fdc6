import type { EventData, VaultDetail, VaultMeasured } from '@castellan/contracts';

/** Puts what the vault's history says into its detail; without measures those fields stay null. */
export function withMeasures(detail: VaultDetail, measures: EventData<typeof VaultMeasured> | undefined): VaultDetail {
  if (!measures) return detail;
  const measured = new Map(measures.allocation.map((item) => [item.source_address, item]));
  return {
    ...detail,
    apy: measures.apy,
    upkeep_info: { ...detail.upkeep_info, runway_seconds: measures.runway_seconds },
    allocation: detail.allocation.map((item) => {
      const { apy = null, peak_pps = null } = measured.get(item.source_address) ?? {};
      return { ...item, apy: apy ?? item.apy, ...(peak_pps === null ? {} : { peak_pps }) };
    }),
  };
}
