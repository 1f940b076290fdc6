import {
  AppError,
  type Backtest,
  type ParamsOf,
  type ResultOf,
  type SimulateAhead,
  type SimulationResult,
} from '@castellan/contracts';
import type { Call } from '@castellan/service-kit';
import { compileStrategy, type Program, shownWith, vocabularyOf } from '@castellan/strategy';
import { getAddress } from 'viem/utils';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import {
  keyOf,
  requireReader,
  requireStrategy,
  type StrategyPorts,
  type VaultRefParams,
  vaultIdOf,
} from '../access.ts';
import type { StrategyFacts } from '../domain/facts.ts';
import { projected } from '../domain/projection.ts';
import { type Contender, type Firing, type Replay, Simulation, thinned } from '../domain/simulate.ts';
import type { StoredDefinition } from '../domain/strategy.ts';
import { judge, lexiconOf, programOf, requireSound } from '../validate.ts';
import { turnYielder } from '../yield-turn.ts';

type Tried = Pick<ParamsOf<typeof Backtest>, 'strategy_ids' | 'drafts'>;

/** Readings of one run at most: a month of minutes. */
const MOST_READINGS = 45_000;
const MOST_FIRINGS = 500;
const MOST_POINTS = 500;
/** Strategies may be written to take long; nobody waits for the answer any more after this. */
const MOST_MS = 10_000;

/** Values in reasons with the units of the vault, as the editor writes them. */
const showOf = ({ definition }: Program, snapshot: Snapshot) =>
  shownWith(vocabularyOf(lexiconOf(snapshot)), compileStrategy(definition).aliases);

async function contendersOf(
  ports: StrategyPorts,
  ref: VaultRefParams,
  snapshot: Snapshot,
  tried: Tried,
): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const id of tried.strategy_ids) {
    const document = await requireStrategy(ports, id);
    if (document.chain_id !== ref.chain_id || document.vault !== ref.vault_address.toLowerCase())
      throw new AppError('STRATEGY_NOT_FOUND', `There is no strategy ${id} on this vault.`);
    const program = programOf(document, snapshot);
    if (!program)
      throw new AppError(
        'VALIDATION_FAILED',
        `Strategy ${id} refers to something the vault no longer has. Change it first.`,
      );
    contenders.push({ id, name: document.definition.name, program, show: showOf(program, snapshot) });
  }
  const yieldTurn = turnYielder(ports.now);
  for (const { id, ...definition } of tried.drafts) {
    await yieldTurn();
    const judged = judge(definition as StoredDefinition, snapshot, undefined, definition);
    const program = requireSound(judged);
    contenders.push({ id, name: definition.name, program, show: showOf(program, snapshot) });
  }
  const ids = contenders.map(({ id }) => id);
  if (ids.length === 0 || new Set(ids).size < ids.length)
    throw new AppError('VALIDATION_FAILED', 'Name at least one strategy, and each only once.', {
      data: { errors: [{ path: 'body.strategy_ids', message: 'must name at least one strategy, each once' }] },
    });
  return contenders;
}

/** @throws AppError VALIDATION_FAILED when it takes longer than anybody waits. */
async function replay(
  { now }: Pick<StrategyPorts, 'now'>,
  contenders: Contender[],
  readings: Iterable<StrategyFacts>,
  slippageBps: number,
): Promise<Replay> {
  const simulation = new Simulation(contenders, slippageBps);
  const started = now();
  const yieldTurn = turnYielder(now);
  for (const reading of readings)
    for (const _judged of simulation.step(reading)) {
      if (now() - started > MOST_MS)
        throw new AppError(
          'VALIDATION_FAILED',
          'This takes too long. Try a shorter range, longer steps or fewer strategies.',
        );
      await yieldTurn();
    }
  return simulation.result;
}

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();
const firingView = ({ time, target, from, ...firing }: Firing) => ({
  ...firing,
  t: isoOf(time),
  target_address: getAddress(target),
  from_address: from === null ? null : getAddress(from),
});

/** Where the assets were at the end and would have been, idle first. */
function allocationOf({ last }: Replay): NonNullable<SimulationResult['allocation']> {
  if (last === null) return [];
  const { recorded, simulated } = last;
  const idle = {
    source_address: null,
    assets: recorded.free,
    assets_simulated: simulated.free,
    target_bps: recorded.idle_target_bps ?? null,
    cap_bps: null,
  };
  const sources = recorded.sources.map(({ address, amount, target_bps = null, cap_bps = null }, index) => ({
    source_address: getAddress(address),
    assets: amount,
    assets_simulated: simulated.sources[index]?.amount ?? null,
    target_bps,
    cap_bps,
  }));
  return [idle, ...sources];
}

type Frame = Pick<SimulationResult, 'vault_id' | 'kind' | 'from' | 'to' | 'snapshots' | 'assumptions'>;

const resultOf = (frame: Frame, contenders: readonly Contender[], replayed: Replay): SimulationResult => ({
  ...frame,
  strategies: contenders.flatMap(({ id, name }) => {
    const standing = replayed.standings.get(id);
    if (!standing) return [];
    const { moved, gained, first_fired_at, ...rest } = standing;
    return [
      {
        strategy_id: id,
        name,
        ...rest,
        first_fired_at: first_fired_at === null ? null : isoOf(first_fired_at),
        moved_assets: `${moved}`,
        gained_assets: `${gained}`,
      },
    ];
  }),
  firings: replayed.firings.slice(0, MOST_FIRINGS).map(firingView),
  firings_omitted: Math.max(0, replayed.firings.length - MOST_FIRINGS),
  points: thinned(replayed.points, MOST_POINTS).map((point) => ({
    t: isoOf(point.time),
    block_number: point.block_number,
    free_assets: point.free,
    free_assets_simulated: point.free_simulated,
    tvl: point.tvl,
    tvl_simulated: point.tvl_simulated,
  })),
  allocation: allocationOf(replayed),
  gained_assets: `${replayed.gained}`,
});

const always = [
  'What fires is done at once, at the prices of its block less the slippage given. Its keeper pays the gas, which these amounts leave out.',
  'Holders and other managers do what they did, whatever the strategies do.',
  'Promises of a mandate and proofs of hooks are not judged here; the keeper refuses what breaks them.',
];

/** What is assumed of rewards, where a strategy claims or swaps them. */
const ofRewards = (contenders: readonly Contender[], ...more: string[]): string[] =>
  contenders.some(({ program }) => ['CLAIM', 'SWAP'].includes(program.definition.action_config.action))
    ? [
        'A swap brings what its pool paid for one whole token, less the slippage given: that a large one moves the price is left out. Rewards count as nothing until they are swapped.',
        ...more,
      ]
    : [];

export const backtest =
  (ports: StrategyPorts) =>
  async (params: ParamsOf<typeof Backtest>, { caller }: Call): Promise<ResultOf<typeof Backtest>> => {
    const { snapshot } = await requireReader(ports, params, caller);
    const [from, to] = [Math.floor(Date.parse(params.from) / 1000), Math.floor(Date.parse(params.to) / 1000)];
    if (from >= to) throw new AppError('RANGE_REVERSED', 'The range ends before it begins.');
    const contenders = await contendersOf(ports, params, snapshot, params);
    const history = await ports.facts.history(keyOf(params), from, to);
    const used = thinned(history, MOST_READINGS);
    const replayed = await replay(
      ports,
      contenders,
      used.map(({ facts }) => facts),
      params.slippage_bps,
    );
    const recorded = used.filter(({ isRecorded }) => isRecorded).length;
    const frame: Frame = {
      vault_id: vaultIdOf(params.chain_id, params.vault_address),
      kind: 'backtest',
      from: isoOf(from),
      to: isoOf(to),
      snapshots: { total: used.length, recorded, observed: used.length - recorded, projected: 0 },
      assumptions: [
        ...always,
        ...(used.length < history.length
          ? [`The range holds ${history.length} readings; ${used.length} of them, evenly chosen, were replayed.`]
          : []),
        'A source that was left empty keeps its last price: that of the dust in it is none.',
        'Blocks nobody recorded are seen by the indexer’s observations; a source’s tvl is not among them.',
        'Targets and caps are those that were set at each block; of the mandate, the promises in force now.',
        ...ofRewards(
          contenders,
          'What could be claimed of rewards is known of blocks that were recorded while strategies ran, and of no others: there nothing is claimed or swapped.',
        ),
      ],
    };
    return resultOf(frame, contenders, replayed);
  };

export const simulateAhead =
  (ports: StrategyPorts) =>
  async (params: ParamsOf<typeof SimulateAhead>, { caller }: Call): Promise<ResultOf<typeof SimulateAhead>> => {
    const { snapshot } = await requireReader(ports, params, caller);
    const steps = Math.floor(params.horizon_seconds / params.step_seconds);
    if (steps > MOST_READINGS || steps < 1)
      throw new AppError('VALIDATION_FAILED', `The horizon must be 1 to ${MOST_READINGS} steps; it is ${steps}.`, {
        data: {
          errors: [{ path: 'body.step_seconds', message: `must divide the horizon into 1 to ${MOST_READINGS} steps` }],
        },
      });
    const contenders = await contendersOf(ports, params, snapshot, params);
    const now = await ports.facts.live(snapshot);
    const readings = projected(now, {
      horizonSeconds: params.horizon_seconds,
      stepSeconds: params.step_seconds,
      apys: new Map(params.apys.map(({ source_address, apy }) => [source_address.toLowerCase(), apy])),
      netDepositsPerDay: BigInt(params.net_deposits_per_day),
    });
    const replayed = await replay(ports, contenders, readings, params.slippage_bps);
    const frame: Frame = {
      vault_id: vaultIdOf(params.chain_id, params.vault_address),
      kind: 'ahead',
      from: isoOf(now.block_time),
      to: isoOf(now.block_time + steps * params.step_seconds),
      snapshots: { total: steps + 1, recorded: 0, observed: 0, projected: steps + 1 },
      assumptions: [
        ...always,
        'Sources grow by the yields given, else by their present ones; without either they stand still.',
        'The price of the asset, of the vault’s share and the redemption queue stay as they are.',
        ...ofRewards(contenders, 'No more rewards are earned than can be claimed now.'),
      ],
    };
    return resultOf(frame, contenders, replayed);
  };
