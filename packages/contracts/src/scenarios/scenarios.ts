import { z } from 'zod';
import { action } from '../action.ts';
import { ExposureNames, Shocks } from '../analytics/scenarios.ts';
import { Eip55, IsoTime, VaultRef } from '../primitives.ts';

/** The shocks that people have chosen for a vault, and what its sources depend on; the usual ones until somebody has. */
export const ScenarioSet = z.object({
  /** As the query of `risk/scenarios` takes them. */
  shocks: z.string(),
  names: z.array(
    z.object({
      source_address: Eip55,
      protocol: z.string().optional(),
      curator: z.string().optional(),
      collateral: z.string().optional(),
    }),
  ),
  /** A version, one higher with each change; 0: nobody has chosen yet. */
  version: z.int().nonnegative(),
  changed_by: Eip55.nullable(),
  changed_at: IsoTime.nullable(),
});

/** The scenarios of a vault. Any role on it. */
export const GetScenarioSet = action('v1.users.scenarioSet', {
  callers: { user: 'read' },
  params: VaultRef,
  result: ScenarioSet,
});

/** Chooses the scenarios of a vault. `replaces`: the version one knows, 0 for none; another one there is VERSION_CONFLICT. */
export const SetScenarioSet = action('v1.users.setScenarioSet', {
  callers: { user: 'full' },
  params: z.strictObject({
    ...VaultRef.shape,
    shocks: Shocks,
    names: ExposureNames,
    /** The version one knows, 0 for none. */
    replaces: z.int().nonnegative(),
  }),
  result: ScenarioSet,
});
