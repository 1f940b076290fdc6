import { distance } from 'fastest-levenshtein';

/**
 * What a number counts. `assets`: base units of the vault's asset. `shares`: base units of the vault's own shares.
 * `source_shares`: base units of a yield source's shares. `tokens`: base units of another token, as rewards are. `pps`: asset base units per whole share. `usd`: US dollars.
 * `fraction`: 0.05 is 5 %. `count`: how many. `time`: a part of a date. `instant`: Unix seconds. `instant_ms`: Unix milliseconds.
 * `duration`: seconds. `plain`: a number without a unit. `units`: a number that was written as base units of any token.
 * `other`: the product or quotient of units, which is not followed further.
 */
export type Unit =
  | 'assets'
  | 'shares'
  | 'source_shares'
  | 'tokens'
  | 'pps'
  | 'usd'
  | 'fraction'
  | 'count'
  | 'time'
  | 'instant'
  | 'instant_ms'
  | 'duration'
  | 'plain'
  | 'units'
  | 'other';

/** The same words for a unit in messages and on screens. */
export const unitWords: Readonly<Record<Unit, string>> = {
  assets: 'assets',
  shares: 'shares',
  source_shares: 'source shares',
  tokens: 'units of another token',
  pps: 'assets per share',
  usd: 'US dollars',
  fraction: 'ratio',
  count: 'count',
  time: 'part of a date',
  instant: 'time',
  instant_ms: 'time in milliseconds',
  duration: 'duration',
  plain: 'number',
  units: 'base units',
  other: 'mixed units',
};

/** A name of the language with its unit; `about` is the sentence that editors show. */
export type Variable = { readonly name: string; readonly unit: Unit; readonly about: string };

/** Variables every vault has. */
export const vaultVariables: readonly Variable[] = [
  { name: 'vault_free_assets', unit: 'assets', about: 'Idle assets: what the vault holds outside its sources.' },
  { name: 'vault_tvl', unit: 'assets', about: 'All assets of the vault, idle and in sources.' },
  { name: 'vault_total_supply', unit: 'shares', about: 'Shares in existence.' },
  { name: 'vault_pps', unit: 'pps', about: 'The accepted price of a whole share.' },
  { name: 'vault_redeem_queue_count', unit: 'count', about: 'Holders whose redemption waits.' },
  { name: 'vault_redeem_queue_value', unit: 'assets', about: 'What the waiting redemptions are worth at vault_pps.' },
  { name: 'vault_idle_target', unit: 'fraction', about: 'The share that the targets of all sources leave idle.' },
  { name: 'price', unit: 'usd', about: 'US dollars per whole asset, by the price feed.' },
  { name: 'tick_unix', unit: 'instant', about: 'Time of the block in Unix seconds.' },
  { name: 'tick_unix_ms', unit: 'instant_ms', about: 'Time of the block in Unix milliseconds.' },
  { name: 'tick_hour', unit: 'time', about: 'Hour of the day, 0 to 23, UTC.' },
  { name: 'tick_minute', unit: 'time', about: 'Minute of the hour, 0 to 59.' },
  { name: 'tick_second', unit: 'time', about: 'Second of the minute, 0 to 59.' },
  { name: 'tick_dow', unit: 'time', about: 'Day of the week, UTC: 0 is Sunday, 6 is Saturday.' },
  { name: 'tick_day', unit: 'time', about: 'Day of the month, 1 to 31, UTC.' },
  { name: 'tick_month', unit: 'time', about: 'Month, 1 to 12, UTC.' },
  { name: 'tick_year', unit: 'time', about: 'Year, UTC.' },
];

/** Fields of a yield source, as `ys_<address in lower case>_<field>`. */
export const sourceFields: readonly Variable[] = [
  { name: 'amount', unit: 'assets', about: 'What the vault has in the source.' },
  { name: 'shares', unit: 'source_shares', about: 'Shares of the source that the vault holds.' },
  { name: 'pps', unit: 'pps', about: 'Asset base units per whole share of the source.' },
  { name: 'available', unit: 'assets', about: 'What the source would pay out at once.' },
  { name: 'apy', unit: 'fraction', about: 'Yearly yield of the source over its last 7 days.' },
  { name: 'base_apy', unit: 'fraction', about: 'The part of the yield that is in the share price.' },
  {
    name: 'reward_apy',
    unit: 'fraction',
    about: 'The part of the yield paid in other tokens; no source reports it yet.',
  },
  {
    name: 'drawdown',
    unit: 'fraction',
    about: 'How far the share price of the source is below its highest of the last 7 days.',
  },
  { name: 'tvl', unit: 'assets', about: 'All assets in the source, of everybody.' },
  { name: 'target_share', unit: 'fraction', about: 'The share of the vault that the source is to hold.' },
  { name: 'cap_share', unit: 'fraction', about: 'The share of the vault that the source may hold at most.' },
  { name: 'to_target', unit: 'assets', about: 'What the source lacks to its target; negative when it holds more.' },
  { name: 'to_cap', unit: 'assets', about: 'What fits into the source below its cap; negative when it holds more.' },
];

/** Rewards, as `merkl_<distributor in lower case>_<field>`: of the distributors that the operator named for a source of the vault. */
export const rewardFields: readonly Variable[] = [
  { name: 'amount', unit: 'tokens', about: 'What the vault can claim from the distributor.' },
  { name: 'value_usd', unit: 'usd', about: 'What that is worth; no feed prices rewards yet.' },
];

/** Tokens that rewards are paid in, as `token_<address in lower case>_<field>`. */
export const tokenFields: readonly Variable[] = [
  { name: 'amount', unit: 'tokens', about: 'What the vault holds of the token.' },
  { name: 'worth', unit: 'assets', about: 'What that is worth by what its pool pays for one whole token.' },
];

const byName = new Map(vaultVariables.map((variable) => [variable.name, variable]));
const families = { ys: sourceFields, merkl: rewardFields, token: tokenFields } as const;
/** The yield source and field of a name such as `ys_0x…_apy`; undefined for any other. */
export function sourceFieldOf(name: string): { address: string; field: string } | undefined {
  const [, address, field] = /^ys_(0x[0-9a-f]{40})_([a-z_]+)$/.exec(name) ?? [];
  return address === undefined || field === undefined ? undefined : { address, field };
}

const familyName = /^(ys|merkl|token)_(0x[0-9a-fA-F]{40})_([A-Za-z_]+)$/;

/** The most similar of some names; undefined when none is similar. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(4, Math.ceil(name.length / 3) + 1);
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const edits = distance(name.toLowerCase(), candidate.toLowerCase());
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits];
  }
  return best;
}

/** What a name is, or why it is nothing, with the nearest name that exists. */
export type Resolved =
  | { readonly known: true; readonly variable: Variable }
  | { readonly known: false; readonly message: string; readonly suggestion?: string | undefined };

/** Every name a vault with these sources (lower case) offers, for palettes and suggestions. */
export const namesFor = (sources: readonly string[]): string[] => [
  ...byName.keys(),
  ...sources.flatMap((address) => sourceFields.map((field) => `ys_${address}_${field.name}`)),
];

/**
 * What a name stands for.
 * @param sources - The vault's yield sources in lower case; undefined accepts any address.
 */
export function resolveVariable(name: string, sources?: readonly string[]): Resolved {
  const plain = byName.get(name);
  if (plain) return { known: true, variable: plain };
  const [, family, address, fieldName] = familyName.exec(name) ?? [];
  if (family === undefined || address === undefined || fieldName === undefined) {
    const suggestion = nearest(name, namesFor(sources ?? []));
    return { known: false, message: `${JSON.stringify(name)} is not a variable.`, suggestion };
  }
  const fields = families[family as keyof typeof families];
  if (address !== address.toLowerCase())
    return { known: false, message: 'Write the address in lower case.', suggestion: name.toLowerCase() };
  const field = fields.find((item) => item.name === fieldName);
  if (!field) {
    const meant = nearest(
      fieldName,
      fields.map((item) => item.name),
    );
    const suggestion = meant === undefined ? undefined : `${family}_${address}_${meant}`;
    return {
      known: false,
      message: `A ${family}_ variable ends in ${fields.map((item) => item.name).join(', ')}.`,
      suggestion,
    };
  }
  if (family === 'ys' && sources && !sources.includes(address)) {
    const suggestion = nearest(name, namesFor(sources));
    return { known: false, message: `${address} is not a yield source of this vault.`, suggestion };
  }
  return { known: true, variable: { ...field, name } };
}
