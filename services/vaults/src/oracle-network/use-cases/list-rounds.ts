import type { ListValidatorRounds, ParamsOf, ResultOf } from '@castellan/contracts';
import { invalidCursor } from '@castellan/service-kit';
import { requireVault, type VaultSource } from '../../vault/use-cases/vault-view.ts';
import type { ListedRow, RoundList } from '../adapters/round-list.mongo.ts';
import { strategyKeyOf } from '../domain/keys.ts';
import { LOST_AFTER_MS } from '../domain/validator-network.ts';
import { ROUNDS_KEPT_DAYS } from '../models/validator-network.ts';
import { configurationsOf, type HistoryPorts } from './keep-history.ts';
import { shownRound } from './read-validators.ts';

export type ListRoundsPorts = HistoryPorts & VaultSource & { roundList: RoundList };

type Answer = ResultOf<typeof ListValidatorRounds>;
type Configurations = ReturnType<typeof configurationsOf>;

/** `<digest>:<epoch>:<round>`. */
function numbersIn(id: string): { config_digest: string; epoch: number; round: number } {
  const [config_digest = '', epoch, round] = id.split(':');
  return { config_digest, epoch: Number(epoch), round: Number(round) };
}

function shownRow({ _id, round, mark }: ListedRow, configurations: Configurations): Answer['rounds'][number] {
  const late = (mark?.dropped ?? []).filter(({ reason }) => reason === 'late').map(({ observer }) => observer);
  const said = { late: [...new Set(late)].sort((a, b) => a - b), started_at: mark?.started_at.toISOString() ?? null };
  if (round !== null) {
    const config = configurations.find(({ digest }) => digest === round.digest) ?? null;
    return { ...shownRound(round, config), config_digest: round.digest, ...said };
  }
  return {
    ...numbersIn(_id),
    leader: mark.leader ?? null,
    outcome: 'lost',
    ...{ prices: [], observers: [], signers: [], missing: [] },
    finished_at: null,
    ...said,
  };
}

/** Rounds that are kept, a page of them, newest first. @throws AppError CURSOR_INVALID. */
export const listValidatorRounds =
  (ports: ListRoundsPorts) =>
  async (params: ParamsOf<typeof ListValidatorRounds>): Promise<Answer> => {
    const { signer, chain_id, vault_address, filter, limit, cursor } = params;
    const now = ports.now();
    const vault =
      chain_id === undefined || vault_address === undefined
        ? undefined
        : (await requireVault(ports, chain_id, vault_address)).detail;
    const configurations = configurationsOf(await ports.history.memberships(), signer);
    const asked = {
      filter,
      strategy: vault && strategyKeyOf(vault.chain_id, vault.strategy_address),
      configurations: configurations.map(({ digest, oracles, index }) => ({ digest, members: oracles.length, index })),
      isOfNode: signer !== undefined,
      lostBefore: new Date(now - LOST_AFTER_MS),
    };
    const page = await ports.roundList.page(asked, limit, cursor);
    if (!page) throw invalidCursor();
    const { rows, ...rest } = page;
    return {
      rounds: rows.map((row) => shownRow(row, configurations)),
      ...rest,
      kept_days: ROUNDS_KEPT_DAYS,
      as_of: new Date(now).toISOString(),
    };
  };
