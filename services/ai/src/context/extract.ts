import type { VaultDetail } from '@castellan/contracts';
import type { ContextFigure, FigureUnit } from '../domain/figure.ts';
import { numeralsOf, unitWords } from '../domain/numerals.ts';
import { buckets, type CatalogueUnit, catalogue, type Entry, type Read, windows } from './catalogue.ts';

type Token = { symbol: string; decimals: number };
/** What the amounts of a vault are counted in; a token nobody knows the decimals of has no figures. */
export type Units = Readonly<Record<'asset' | 'shares' | 'upkeep' | 'native', Token | null>> & {
  /** Digits after the point of a price per share. */
  ppsDecimals: number;
};

/**
 * A symbol that may stand behind an amount. A token's issuer chooses its symbol: one that reads as a unit (`days`, `%`) or
 * as a sentence would change what the amount says, and is not used.
 */
export const safeSymbol = (symbol: string | null): string =>
  symbol !== null &&
  /^[A-Za-z][A-Za-z0-9._-]{0,14}[A-Za-z0-9]$/.test(symbol) &&
  !unitWords.has(symbol.toLowerCase()) &&
  numeralsOf(symbol).length === 0
    ? symbol
    : 'tokens';

export const unitsOf = (detail: VaultDetail, nativeSymbol: string): Units => {
  const { asset, upkeep_info: upkeep } = detail;
  return {
    asset: { symbol: safeSymbol(asset.symbol), decimals: asset.decimals },
    shares: { symbol: 'shares', decimals: detail.vault_share_decimals },
    upkeep: upkeep.decimals === null ? null : { symbol: safeSymbol(upkeep.symbol), decimals: upkeep.decimals },
    native: { symbol: safeSymbol(nativeSymbol), decimals: 18 },
    ppsDecimals: detail.pps_precision.length - 1,
  };
};

type Place = { path: string; value: unknown; item: Readonly<Record<string, unknown>> | null; window: string | null };

const fieldOf = (node: unknown, key: string): unknown =>
  typeof node === 'object' && node !== null && Object.hasOwn(node, key)
    ? (node as Record<string, unknown>)[key]
    : undefined;

/** Every place of an answer that a path of the catalogue means. */
function placesOf(root: unknown, path: string): Place[] {
  let places: Place[] = [{ path: '', value: root, item: null, window: null }];
  for (const key of path.split('.')) {
    places = places.flatMap((place) => {
      const at = (name: string, more: Partial<Place> = {}): Place[] => {
        const value = fieldOf(place.value, name);
        const to = place.path === '' ? name : `${place.path}.${name}`;
        return value === undefined ? [] : [{ ...place, path: to, value, ...more }];
      };
      if (key === '@') return Object.keys(windows).flatMap((window) => at(window, { window }));
      if (key !== '*') return at(key);
      if (!Array.isArray(place.value)) return [];
      return place.value.flatMap((item, index) => at(String(index), { item: item as Record<string, unknown> }));
    });
  }
  return places;
}

/** `0xb208…87BA` of an address. */
export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

const word = (value: unknown): string => {
  const text = String(value ?? '');
  if (/^0x[0-9a-f]{40}$/i.test(text)) return shortAddress(text);
  return buckets[text] ?? text.replaceAll('_', ' ');
};

const labelOf = (label: string, { item, window }: Place): string =>
  label
    .replaceAll('@', window === null ? '' : (windows[window] ?? ''))
    .replaceAll(/\{(\w+)\}/g, (_, key: string) => word(item?.[key]));

const tokenUnits = ['asset', 'shares', 'upkeep', 'native'] as const;
const isTokenUnit = (unit: CatalogueUnit): unit is (typeof tokenUnits)[number] =>
  (tokenUnits as readonly string[]).includes(unit);

function figureOf(read: Read, [, kind, label]: Entry, place: Place, units: Units): ContextFigure[] {
  const signed = kind.startsWith('±');
  const unit = kind.replace('±', '') as CatalogueUnit;
  const { value } = place;
  if (value !== null && typeof value !== 'number' && typeof value !== 'string') return [];
  const common = {
    path: `${read}.${place.path}`,
    label: labelOf(label, place),
    value,
    direction: signed ? 'signed' : 'magnitude',
  } as const;
  if (unit === 'pps') return [{ ...common, unit, symbol: null, decimals: units.ppsDecimals }];
  if (!isTokenUnit(unit)) return [{ ...common, unit: unit satisfies FigureUnit, symbol: null, decimals: null }];
  const token = units[unit];
  return token === null ? [] : [{ ...common, unit: 'token', ...token }];
}

/** The figures of one answer, with their words, units and signs. */
export const figuresOf = (read: Read, answer: unknown, units: Units): ContextFigure[] =>
  (catalogue[read] as readonly Entry[]).flatMap((entry) =>
    placesOf(answer, entry[0]).flatMap((place) => figureOf(read, entry, place, units)),
  );

/** Why figures have no value, or a poor one, by path. */
export const reasonsOf = (
  read: Read,
  { quality }: { quality: Readonly<Record<string, { reason: string | null; status: string }>> },
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(quality).map(([path, { reason, status }]) => [`${read}.${path}`, reason ?? status]),
  );

/** Addresses and hashes anywhere in an answer, lower case. */
export function identifiersOf(node: unknown): string[] {
  if (typeof node === 'string') return /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(node) ? [node.toLowerCase()] : [];
  if (typeof node !== 'object' || node === null) return [];
  return Object.values(node).flatMap(identifiersOf);
}
