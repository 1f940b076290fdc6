import { z } from 'zod';
import { Address, Eip55 } from '../primitives.ts';

/** Hundredths of a percent of a whole. */
const ShareBps = z.int().min(0).max(10_000);

const common = {
  /** Names the promise in the ledger: the same promise of the next version keeps it. */
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be 1 to 64 lower-case letters, digits and hyphens'),
  /** What becomes of a prepared call that would break the promise. An emergency is only ever warned of. */
  on_breach: z.enum(['warn', 'refuse']).default('warn'),
};
const promise = <K extends string, T extends z.ZodRawShape>(kind: K, shape: T) =>
  z.strictObject({ ...common, kind: z.literal(kind), ...shape });

/** What an exposure can be looked through to; a mandate says itself which sources are in it. */
export const mandateLayers = ['source', 'protocol', 'curator', 'collateral', 'oracle', 'chain'] as const;

type AddressForm = z.ZodType<string, string>;

const promisesWith = (address: AddressForm) => {
  const addresses = z.array(address).max(200);
  return z.discriminatedUnion('kind', [
    /** Of the assets in one source; without `source`, in each of them. */
    promise('source_share', { source: address.optional(), at_most_bps: ShareBps }),
    /** Of the assets in all sources that share a protocol, a curator, a collateral, an oracle or a chain. */
    promise('layer_share', {
      layer: z.enum(mandateLayers),
      name: z.string().min(1).max(64),
      sources: addresses.min(1),
      at_most_bps: ShareBps,
    }),
    promise('idle_share', { at_least_bps: ShareBps }),
    /** How far the net price may be below its highest point since inception. */
    promise('drawdown', { at_most_bps: ShareBps }),
    /** Of the shares of all holders. */
    promise('largest_holder', { at_most_bps: ShareBps }),
    promise('performance_fee', { at_most_bps: ShareBps }),
    promise('entry_fee', { at_most_bps: ShareBps }),
    promise('price_age', { at_most_seconds: z.int().min(1).max(31_536_000) }),
    /** The cadence: price updates within a stretch of time. */
    promise('price_updates', {
      /** Prices. */
      at_least: z.int().min(1).max(10_000),
      in_seconds: z.int().min(60).max(31_536_000),
    }),
    /** No other hook is executed; one that was counts for a day. */
    promise('hooks', { allowed: addresses }),
    /** Nobody else has the role. */
    promise('managers', { role: z.enum(['primary_manager', 'secondary_manager']), allowed: addresses }),
  ]);
};

const documentWith = (address: AddressForm) =>
  z
    .strictObject({
      /** Of this form of the document: 1. */
      format: z.literal(1),
      title: z.string().min(1).max(120),
      /** Whether everybody may read it once it is in force, with the state of its promises and the breaches. */
      public: z.boolean().default(false),
      /** The share of a limit from which on a promise that is still held counts as warned. */
      warn_at_bps: z.int().min(1).max(10_000).default(9_000),
      promises: z.array(promisesWith(address)).min(1).max(100),
    })
    .superRefine(({ promises }, context) => {
      const seen = new Set<string>();
      promises.forEach(({ id }, at) => {
        if (seen.has(id))
          context.addIssue({ code: 'custom', path: ['promises', at, 'id'], message: 'is the id of another promise' });
        seen.add(id);
      });
    });

/** The promises of a vault as one document, as a person writes it in YAML or JSON. Shares are in basis points of all assets. */
export const MandateDocument = documentWith(Address);
export type MandateDocument = z.output<typeof MandateDocument>;
/** The same in an answer. */
export const MandateInAnswer = documentWith(Eip55);

/** One promise of a vault. */
export type MandatePromise = MandateDocument['promises'][number];
