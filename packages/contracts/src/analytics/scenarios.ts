import { z } from 'zod';
import { action } from '../action.ts';
import { Address, Eip55, Seconds, UintString } from '../primitives.ts';
import { answerFields, Count, Fraction, Usd } from './figures.ts';
import { analyticsRead } from './read-route.ts';
import { momentParams } from './request.ts';

/** What may happen to a vault: a part of its sources is lost, its asset loses its price, the oracle stops, holders leave, gas costs more. */
export const shockKinds = ['loss', 'depeg', 'oracle_stop', 'run', 'gas'] as const;
/** One of `shockKinds`. */
export type ShockKind = (typeof shockKinds)[number];

/**
 * A shock and its size: of `loss` and `depeg` a fraction, of `oracle_stop` hours, of `run` how many of the largest holders leave, of `gas` a
 * factor. `target` of a loss: which sources lose it, by address, the `largest` one, or `all`; empty of the others.
 */
export type Shock = {
  readonly kind: ShockKind;
  readonly size: number;
  readonly target: 'largest' | 'all' | readonly string[];
};

const sizes: Readonly<Record<ShockKind, { fits: (size: number, text: string) => boolean; allowed: string }>> = {
  loss: { fits: (size) => size > 0 && size <= 1, allowed: 'a fraction above 0 and up to 1' },
  depeg: { fits: (size) => size > 0 && size <= 1, allowed: 'a fraction above 0 and up to 1' },
  oracle_stop: { fits: (size, text) => size <= 8_760 && /^[1-9]\d*$/.test(text), allowed: 'whole hours, 1 to 8760' },
  run: { fits: (size, text) => size <= 1_000 && /^[1-9]\d*$/.test(text), allowed: 'how many holders leave, 1 to 1000' },
  gas: { fits: (size) => size > 1 && size <= 1_000, allowed: 'a factor above 1 and up to 1000' },
};

/** Shocks of one question at most, and sources that one of them names at most. */
const MOST_SHOCKS = 20;
const MOST_TARGETS = 40;

const isKind = (text: string): text is ShockKind => (shockKinds as readonly string[]).includes(text);

function targetOf(text: string | undefined): Shock['target'] | string {
  if (text === undefined || text === 'largest') return 'largest';
  if (text === 'all') return 'all';
  const sources = text.split('+').map((each) => Address.safeParse(each));
  if (sources.length > MOST_TARGETS || sources.some(({ success }) => !success))
    return `must be largest, all, or up to ${MOST_TARGETS} addresses of sources with + between them`;
  return sources.map(({ data }) => (data as string).toLowerCase());
}

function shockOf(text: string): Shock | string {
  const [kind = '', number = '', target, ...rest] = text.split(':');
  if (!isKind(kind)) return `${kind || 'a shock'}: the kind must be one of ${shockKinds.join(', ')}`;
  const { fits, allowed } = sizes[kind];
  const size = Number(number);
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(number) || !fits(size, number)) return `${kind}: its size must be ${allowed}`;
  if (rest.length > 0 || (kind !== 'loss' && target !== undefined)) return `${kind}: only a loss has a target, and one`;
  if (kind !== 'loss') return { kind, size, target: [] };
  const found = targetOf(target);
  return typeof found === 'string' && found !== 'largest' && found !== 'all'
    ? `loss: its target ${found}`
    : { kind, size, target: found as Shock['target'] };
}

/**
 * Reads shocks as a query writes them: `loss:0.2:largest,depeg:0.05,oracle_stop:48,run:10,gas:10`.
 * @returns a text that says what is wrong and what is allowed when it cannot.
 */
export function shocksOf(text: string): Shock[] | string {
  const parts = text.split(',');
  if (parts.length > MOST_SHOCKS) return `there are ${parts.length} shocks; ${MOST_SHOCKS} are allowed`;
  const shocks = parts.map(shockOf);
  const wrong = shocks.find((shock) => typeof shock === 'string');
  return wrong ?? (shocks as Shock[]);
}

/** Shocks as text, at most 20. */
export const Shocks = z
  .string()
  .min(1)
  .max(4_000)
  .superRefine((text, context) => {
    const found = shocksOf(text);
    if (typeof found === 'string') context.addIssue({ code: 'custom', message: found });
  });

const LayerName = z.string().trim().min(1).max(40);

/** What a source depends on, as people who know it name it. */
export const ExposureName = z.strictObject({
  source_address: Address,
  protocol: LayerName.optional(),
  curator: LayerName.optional(),
  collateral: LayerName.optional(),
});
/** Names of up to 40 sources. */
export const ExposureNames = z.array(ExposureName).max(MOST_TARGETS);
/** What sources depend on, by name. */
export type ExposureNames = z.infer<typeof ExposureNames>;

/** Reads names as a query writes them: as JSON. @returns null when they are none. */
export function exposureNamesOf(text: string): ExposureNames | null {
  try {
    return ExposureNames.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

const NamesText = z
  .string()
  .max(8_000)
  .refine((text) => exposureNamesOf(text) !== null, {
    message: 'must be a JSON list of source_address with protocol, curator and collateral, each up to 40 characters',
  });

/** The shocks of the table where none are given. */
export const usualShocks = 'loss:0.2:largest,loss:1:largest,depeg:0.05,oracle_stop:48,run:3,run:10,gas:10';

/** What assets may depend on. */
export const exposureLayers = ['source', 'protocol', 'curator', 'collateral', 'oracle', 'chain'] as const;

const Waiting = z.object({
  wallet_address: Eip55,
  /** Worth of its shares at the accepted price. */
  asked: UintString,
  /** Its part of what the vault loses. */
  lost: UintString,
  paid: UintString,
  waiting: UintString,
});

const Scenario = z.object({
  kind: z.enum(shockKinds),
  /** Of `loss` and `depeg` a fraction, of `oracle_stop` hours, of `run` how many holders leave, of `gas` a factor. */
  size: z.number(),
  /** The sources that lose it; empty of other shocks. */
  targets: z.array(Eip55),
  /** What the vault loses; null where a source could not be valued, and before the first observation. */
  loss_assets: UintString.nullable(),
  /** In dollars at the asset's price; of a depeg what the price takes of all assets. */
  loss_usd: Usd,
  /** Of all assets. */
  loss_share: Fraction,
  /** At once and within the hour: idle assets, and what sources pay of what is left there. Nothing without a usable price. */
  payable: UintString.nullable(),
  /** What the leaving holders ask for; asked = lost + paid + waiting, in all and for each. */
  asked: UintString,
  lost: UintString.nullable(),
  paid: UintString.nullable(),
  waiting: UintString.nullable(),
  /** Holders who are not paid whole. */
  wallets_waiting: Count.nullable(),
  holders: z.array(Waiting),
  /** Of a stopped oracle: until its last price can no longer be used on chain. */
  blocked_in_seconds: Seconds.nullable().optional(),
  /** Of costlier gas: how long the upkeep lasts if an update costs as much more. */
  runway_seconds: Seconds.nullable().optional(),
  /** Of costlier gas: what managers and the keeper would pay more in a year, by the last 30 days. */
  extra_gas_usd_per_year: Usd.optional(),
});

/**
 * Named shocks at one block: what is lost, what is payable at once, who waits. In each the largest holders ask for everything. Amounts
 * in asset base units.
 */
const GetScenarios = action('v1.analytics.riskScenarios', {
  callers: { user: 'read', services: ['gateway'] },
  params: momentParams({
    shocks: Shocks.default(usualShocks),
    names: NamesText.default('[]'),
    /** How many of the largest holders leave, where the shock does not say. */
    top_holders: z.int().min(1).max(1000).default(3),
  }),
  result: z.object({
    ...answerFields,
    shocks: z.string(),
    top_holders: Count,
    /** Idle assets and all positions; null where a source could not be valued. */
    total_assets: UintString.nullable(),
    scenarios: z.array(Scenario),
    /** Assets by what they depend on, largest first in each layer. */
    exposure: z.array(
      z.object({
        layer: z.enum(exposureLayers),
        /** The address of the source or of the oracle that values it, a name that `names` gives, or the chain as `eip155:` and its id. */
        name: z.string(),
        /** The sources that it is of; empty for idle assets and the chain. */
        sources: z.array(Eip55),
        assets: UintString,
        share: Fraction,
      }),
    ),
  }),
});

const count = z
  .string()
  .regex(/^[1-9][0-9]{0,3}$/, 'must be 1 to 1000')
  .transform(Number)
  .refine((value) => value <= 1000, { message: 'must be 1 to 1000' });

/** The route of the scenario table. */
export const scenarioRoutes = {
  /** @example const table = await client.analyticsScenarios({ params: vault, query: { shocks: 'loss:0.5:all,run:5' } }); */
  analyticsScenarios: analyticsRead({
    id: 'analyticsScenarios',
    path: 'risk/scenarios',
    kind: 'moment',
    action: GetScenarios,
    staleMs: 120_000,
    query: { shocks: Shocks.optional(), names: NamesText.optional(), top_holders: count.optional() },
  }),
};
