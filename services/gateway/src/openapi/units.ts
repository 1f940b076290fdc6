import type { Json } from './json.ts';

const counts =
  'acknowledged|active|active_intents|active_shards|banned_leaves|checked|confirmations|count|critical|done|dropped|effective_sources|failed|' +
  'fired|firings_omitted|forms|info|late|led|lost|messages|missed|muted|not_needed|observed|possible|prices|projected|recorded|refused|' +
  'reports|required_ticks|resolved|rounds|rounds_counted|signed|size|stopped|stored|total|total_leaves|total_strategies_running|transactions|' +
  'used_by|valid|waiting|waiting_requests|warning|with_receipt';

/** What a number is by its name, where its comment says nothing. The first that fits counts. */
const units: readonly (readonly [RegExp, string])[] = [
  [/^chain_?id$/i, 'The id of the chain.'],
  [/(^|_)(seconds|expires_in)$/, 'Seconds.'],
  [/^hours$/, 'Hours.'],
  [/(^|_)ms$/, 'Milliseconds.'],
  [/(^|_)days$/, 'Days.'],
  [/(^|_)ppb$/, 'Parts per billion.'],
  [/(^|_)management_fee_bps$/, 'The entry fee, taken of each deposit, in hundredths of a percent; not a yearly fee.'],
  [/(^|_)performance_fee_bps$/, 'Of gains above the high-water mark, in hundredths of a percent.'],
  [/(^|_)bps(_per_year)?$/, 'Hundredths of a percent.'],
  [/(^|_)usd$/, 'US dollars.'],
  [/(^|_)decimals$/, 'Decimals of the token.'],
  [/(^|_)(block|block_number)$/, 'The number of a block.'],
  [/^log_index$/, 'The place of the log in its block.'],
  [new RegExp(`(^|_)(${counts})$`), 'How many.'],
  [/^max_(active_intents|concurrent)$/, 'How many at most.'],
  [/_per_(minute|day)(_\d+d)?$/, 'How many in that time.'],
  [/(^|_)(seq|sequence|seq_num)$/, 'A place in a sequence.'],
  [
    /^(index|leader|node_index|observer|observers|signers)$/,
    'A place in a list, from 0; of a validator, in its configuration.',
  ],
  [/^(line|column|offset|length)$/, 'Where in the text, in characters from the beginning or of its line.'],
  [/(^|_)version$/, 'A version, one higher with each change.'],
  [
    /(^|_)(apy|coverage|depth|drawdown|fraction|rate|share|shock|utilisation|venue_shock|weight)$/,
    'A fraction: 0.05 is 5 %.',
  ],
  [/^autocorrelation_\d$/, 'A correlation, -1 to 1.'],
  [/^information_ratio$/, 'A ratio of a year.'],
  [/^(score|floor)$/, 'A score from 0, no risk, to 100.'],
  [/^k(1|3|10)$/, 'How many times over: 1 is just enough.'],
  [/^attempt$/, 'Which try it was, from 1.'],
  [/^age$/, 'Intervals since the first deposit.'],
  [/^(epoch|round)$/, 'The number of an epoch or round of the validators.'],
  [/^f$/, 'How many validators may fail.'],
  [/^(quorum|threshold)$/, 'How many must agree.'],
  [/^nonce$/, 'The nonce of the account.'],
  [/^(priority|rank|param_order)$/, 'A place in an order; the lowest comes first.'],
  [/^at_least$/, 'How many at least.'],
  [/^format$/, 'The form of the document: 1.'],
  [/^replaces$/, 'The newest version that is known, 0 for none.'],
  [/^points$/, 'How many points at most.'],
  [/^(http_)?status$/, 'The HTTP status.'],
];

/** The unit of a number by the name of its field; undefined where the name does not say. */
export const unitOf = (name: string): string | undefined => units.find(([pattern]) => pattern.test(name))?.[1];

/** Numbers of which many shapes say nothing but the unit. */
const named: readonly (readonly [name: string, field: string, schema: Json])[] = [
  ['Count', 'count', { type: 'integer', minimum: 0 }],
  ['BlockNumber', 'block', { type: 'integer' }],
  ['BlockNumberOrNull', 'block', { type: ['integer', 'null'] }],
  ['ShareBps', 'bps', { type: 'integer', minimum: 0, maximum: 10_000 }],
  ['BpsOrNull', 'bps', { type: ['number', 'null'] }],
  ['Version', 'version', { type: 'integer', exclusiveMinimum: 0 }],
  ['VersionOrNone', 'version', { type: 'integer', minimum: 0 }],
  ['ChainId', 'chain_id', { type: 'integer', exclusiveMinimum: 0 }],
  ['UsdOrNull', 'usd', { type: ['number', 'null'] }],
  ['FractionOrNull', 'share', { type: ['number', 'null'] }],
  ['PlaceInList', 'index', { type: 'integer', minimum: 0 }],
  ['Decimals', 'decimals', { type: 'integer' }],
];
const namesByText: ReadonlyMap<string, string> = new Map(
  named.map(([name, field, schema]) => [JSON.stringify({ ...schema, description: unitOf(field) }), name]),
);

/** The name of a number of which only the unit is said. */
export const namedNumber = (schema: Json): string | undefined =>
  typeof schema.description === 'string' ? namesByText.get(JSON.stringify(schema)) : undefined;
