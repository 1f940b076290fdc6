import {
  AppError,
  GetDrawdown,
  GetOperations,
  GetOverview,
  GetPerformance,
  GetPps,
  GetPpsWhatIf,
  GetRisk,
  GetUsers,
  GetVault,
  hasErrorCode,
  isWithinBinding,
  ListChains,
  ListFees,
  ListTransmissions,
  type VaultDetail,
  type VaultRef,
} from '@castellan/contracts';
import type { Read } from './catalogue.ts';
import { figuresOf, identifiersOf, reasonsOf, type Units, unitsOf } from './extract.ts';
import type { Rights } from './rights.ts';
import type { Answers, Untrusted, VaultContext } from './vault-context.ts';

/** Entries of a ledger, episodes and transmissions that are looked at: the latest. */
const latest = 5;

/**
 * The vault, for somebody with a role on it. The services decide what a wallet may read; what the token behind it leaves out is
 * decided here, because no gateway stands between an analyst and the services.
 * @throws AppError ROLE_REQUIRED, SCOPE_REQUIRED, VAULT_NOT_FOUND or CHAIN_NOT_FOUND.
 */
export async function readVault({ caller, callAction }: Rights, vault: VaultRef): Promise<VaultDetail> {
  if (!isWithinBinding(caller, vault))
    throw new AppError('SCOPE_REQUIRED', 'Your token is for another vault or chain.', { data: { scope: 'read' } });
  const { chain_id, vault_address } = vault;
  const detail = await callAction(GetVault, { chain_id, vault_address }, { caller });
  if (detail.my_role === null)
    throw new AppError('ROLE_REQUIRED', 'This needs a role on the vault; you have no role on it.');
  return detail;
}

/** Names others chose, wherever the detail of a vault carries one. */
export const untrustedOf = (detail: VaultDetail): Untrusted[] =>
  [
    { what: 'name of the vault', text: detail.name },
    { what: 'symbol of the vault', text: detail.symbol },
    { what: 'name of the asset', text: detail.asset.name },
    { what: 'symbol of the asset', text: detail.asset.symbol },
    { what: 'symbol of the upkeep token', text: detail.upkeep_info.symbol ?? '' },
    { what: 'reason of the pause', text: detail.pause?.reason ?? '' },
    ...detail.allocation.map(({ name }) => ({ what: 'name of a yield source', text: name })),
    ...[detail.managers.primary, ...detail.managers.secondary].map(({ display_name }) => ({
      what: 'name of a manager',
      text: display_name ?? '',
    })),
  ].filter(({ text }) => text !== '');

/** Tokens of a vault and its chain, which amounts are counted in. */
export async function readUnits({ callAction }: Rights, detail: VaultDetail): Promise<Units> {
  const { chains } = await callAction(ListChains, {});
  const chain = chains.find(({ chain_id }) => chain_id === detail.chain_id);
  return unitsOf(detail, chain?.native_symbol ?? 'ETH');
}

/** The overview at the vault's own block, or at the last one analytics knows while it is behind. */
async function readOverview({ caller, callAction }: Rights, vault: VaultRef, block: number) {
  try {
    return await callAction(GetOverview, { ...vault, block }, { caller });
  } catch (error) {
    if (!hasErrorCode(error, 'BLOCK_IN_FUTURE')) throw error;
    return callAction(GetOverview, vault, { caller });
  }
}

async function readAnswers(rights: Rights, vault: VaultRef, newest: number): Promise<Answers> {
  const { caller, callAction } = rights;
  const overview = await readOverview(rights, vault, newest);
  const moment = { ...vault, block: overview.block_number };
  const [performance, risk, users, operations, fees, pps, whatIf, drawdown, transmissions] = await Promise.all([
    callAction(GetPerformance, moment, { caller }),
    callAction(GetRisk, moment, { caller }),
    callAction(GetUsers, moment, { caller }),
    callAction(GetOperations, moment, { caller }),
    callAction(ListFees, { ...moment, limit: latest, period: 'all' }, { caller }),
    callAction(GetPps, { ...moment, points: 2 }, { caller }),
    callAction(GetPpsWhatIf, moment, { caller }),
    callAction(GetDrawdown, { ...moment, points: 2, period: '90d' }, { caller }),
    callAction(ListTransmissions, { ...vault, limit: latest }, { caller }),
  ]);
  const episodes = drawdown.episodes.slice(0, latest);
  return {
    overview,
    performance,
    risk,
    users,
    operations,
    fees,
    pps,
    whatIf,
    transmissions,
    drawdown: { ...drawdown, episodes },
  };
}

/** Everything about one vault that may be said to the caller, all of it at one block. @throws AppError of the services. */
export async function readContext(rights: Rights, vault: VaultRef, known?: VaultDetail): Promise<VaultContext> {
  const detail = known ?? (await readVault(rights, vault));
  const [units, answers] = await Promise.all([
    readUnits(rights, detail),
    readAnswers(rights, vault, detail.block_number),
  ]);
  return contextOf(detail, units, answers);
}

const readOfAnswer = {
  overview: 'overview',
  performance: 'performance',
  risk: 'risk',
  users: 'users',
  operations: 'operations',
  fees: 'fees',
  pps: 'pps',
  whatIf: 'pps/what-if',
  drawdown: 'risk/drawdown',
} as const satisfies Partial<Record<keyof Answers, Read>>;

/** Turns what was read into figures, reasons, identifiers and quoted texts. */
export function contextOf(detail: VaultDetail, units: Units, answers: Answers): VaultContext {
  const reads = Object.entries(readOfAnswer) as [keyof typeof readOfAnswer, Read][];
  return {
    chainId: detail.chain_id,
    vaultAddress: detail.vault_address,
    blockNumber: answers.overview.block_number,
    asOf: answers.overview.as_of,
    detail,
    answers,
    units,
    figures: [
      ...reads.flatMap(([name, read]) => figuresOf(read, answers[name], units)),
      ...figuresOf('vault', detail, units),
      ...figuresOf('transmissions', answers.transmissions, units),
    ],
    reasons: Object.assign({}, ...reads.map(([name, read]) => reasonsOf(read, answers[name]))),
    identifiers: new Set([...identifiersOf(detail), ...identifiersOf(answers)]),
    untrusted: untrustedOf(detail),
  };
}
