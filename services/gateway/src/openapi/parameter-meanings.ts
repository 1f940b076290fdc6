import { formulasVersion } from '@castellan/contracts';

type Place = 'path' | 'query';

/** What a parameter means wherever it stands; by its place, or by its operation, where that makes a difference. */
const meanings: Readonly<Record<string, string>> = {
  action: 'Only intents of this action.',
  action_type: 'Only rows of this action, e.g. `vault.fees.proposed`.',
  actor: 'Only rows of this wallet.',
  after_sequence: 'Only events after this number of the sequence.',
  amount_in_max: 'Only intents of at most this amount, in base units of the token that goes in.',
  amount_in_min: 'Only intents of at least this amount, in base units of the token that goes in.',
  asset: 'Only sources of this asset.',
  at: 'The moment the answer is true for: ISO 8601, UTC, chain time. Not together with `block`.',
  block: 'The block the answer is true for. Not together with `at`.',
  category: 'Only rows of this category.',
  chain_id: 'The chain, e.g. 1 for Ethereum.',
  channel_id: 'The notification channel.',
  completed_from: 'Only what ended at this time or later: ISO 8601, UTC.',
  completed_to: 'Only what ended at this time or earlier: ISO 8601, UTC.',
  config_digest: 'The configuration of the oracle network, by its digest.',
  created_from: 'Only what began at this time or later: ISO 8601, UTC.',
  created_to: 'Only what began at this time or earlier: ISO 8601, UTC.',
  breach_id: 'The breach, by its id in the ledger.',
  cursor: '`next_cursor` of the page before; absent for the first page.',
  dataset: 'What is exported.',
  detail: '`minimal`: what identifies a vault, its state and your role. `full`, the default: its figures as well.',
  edition: '`public`, the default: what everybody may read. `full`: with what takes a role on the vault.',
  epoch: 'The epoch of the round.',
  encoded_args: 'The arguments of the leaf, ABI-encoded.',
  error_code: 'Only intents that ended with this error code.',
  fields:
    'Only these fields, with commas between; `apy.current` for one inside another, or of each item of a list. What it is about stays.',
  filter:
    'Only rounds with prices (`report`), without (`skip`), that began and never ended (`lost`), or `incomplete`: those, and such as lack a node.',
  force: '`true` prepares the call although its simulation fails.',
  format: 'The format of the file.',
  from: 'The start of the range: ISO 8601, UTC. Not together with `period`.',
  from_timestamp: 'Only rows of this time or later: ISO 8601, UTC.',
  hash: 'The SHA-256 of the artifact.',
  hook_address: 'The hook contract of the leaf.',
  hours: 'How many hours the run lasts.',
  id: 'What is asked for, by its id.',
  interval: 'How long a cohort is.',
  is_active: 'Only hooks that are in use, or only those that are not.',
  kind: 'Only those of this kind.',
  kinds: 'Only these kinds, with commas between.',
  lane: 'Only strategies of this lane.',
  leaf_hash: 'The leaf, by its hash.',
  limit: 'Items of a page, 1 to 500.',
  names: 'What sources depend on, a JSON list of `source_address`, `protocol`, `curator` and `collateral`.',
  offset: 'How many rows are passed over.',
  period:
    'A range that ends at the moment: 24h, 7d, 30d, 90d, 1y or all; without `from` and `to`. Of a report: the month.',
  points: 'Points of a series at most, 2 to 2 000.',
  pps: 'The price per share to try, in base units of the asset for one share.',
  q: 'Only intents with this text in their id, strategy, error code or error message.',
  receipt: '`true` adds what each figure was computed from, `gas.total` for one, `gas` for those below.',
  recheck: '`true` asks the chain again.',
  refresh: '`true` computes it anew instead of giving what is kept.',
  round: 'The round, by its number in the epoch.',
  rule_id: 'The alert rule.',
  shocks:
    'Shocks, each `kind:size`, with commas between: `loss` and `depeg` a fraction, `oracle_stop` hours, `run` holders, `gas` a factor. `loss:0.5:all` says what loses it: `largest` (the default), `all`, or sources with + between.',
  search: 'Only sources with this text in their name, symbol or address.',
  severity: 'Only those of this severity.',
  signer: 'Only the node that signs with this address.',
  source_address: 'The source: 0x and 40 hexadecimal digits, in mixed case with a correct EIP-55 checksum.',
  state: 'Only those in this state.',
  status: 'Only those of this status.',
  strategy_id: 'Only those of this strategy.',
  target_address: 'Only strategies that act on this yield source.',
  to: 'The end of the range: ISO 8601, UTC.',
  to_timestamp: 'Only rows of this time or earlier: ISO 8601, UTC.',
  token_in: 'Only intents that put in this token.',
  token_out: 'Only intents that take out this token.',
  top_holders: 'How many of the largest holders leave.',
  tree_id: 'The hooks tree.',
  tx_hash: 'The hash of the transaction.',
  type: 'Only transactions of this type.',
  v: `The version of the formulas, now \`${formulasVersion}\`: with it, and \`at\` or \`block\`, an answer about a final moment may be kept for good.`,
  vault_address: 'The vault: 0x and 40 hexadecimal digits, in mixed case with a correct EIP-55 checksum.',
  vault_id: 'The vault as `chain:address`.',
  vaults: 'Up to 100 vaults as `chain:address,chain:address`.',
  venue_shock: 'The fraction that yield sources lose, 0 to 1.',
  version: 'The version that is asked for.',
  wallet: 'Only transactions of this wallet.',
  wallet_address: 'The wallet.',
  window: 'Over how long is looked back: for each point of a series, or for the whole answer.',
};

const byPlace: Readonly<Record<string, string>> = {
  'path period': 'The month, e.g. 2026-10.',
  'path tx_hash': 'The transaction, by its hash.',
  'query tx_hash': 'Only those of this transaction.',
  'path strategy_id': 'The strategy.',
};

/** What a parameter means. @throws Error for one that nothing is written of. */
export function meaningOf(name: string, place: Place): string {
  const meaning = byPlace[`${place} ${name}`] ?? meanings[name];
  if (meaning === undefined) throw new Error(`Nothing says what the ${place} parameter ${name} means.`);
  return meaning;
}
