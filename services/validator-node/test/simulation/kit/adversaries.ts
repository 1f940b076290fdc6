import { type FeePolicy, feeDefaults, lowestMarket, type Market, offer } from '@castellan/transactor';
import { decodeObservation, encodeObservation, type PriceEntry } from '../../../src/plugin/observation.ts';
import type { Plugin } from '../../../src/ports.ts';
import { decodeMessage } from '../../../src/protocol/messages.ts';
import { leaderSchedule } from '../../../src/protocol/order.ts';
import { signTwice } from './equivocator.ts';
import { inventedEcho } from './invented-echo.ts';
import { simTiming } from './network-config.ts';
import { createPlayedBus, floodWithForgeries } from './played-bus.ts';
import { type Choices, type PriceWorld, priceConfig, type Vault, vaultAt } from './price-world.ts';
import type { Prng } from './prng.ts';
import { realKeys } from './toy-crypto.ts';

/** Who takes part: f of the n nodes are the adversary's. */
export type Cast = {
  n: number;
  f: number;
  seed: number;
  random: Prng;
  evil: readonly number[];
  isEvil(index: number): boolean;
};

export type Play = {
  choices: Partial<Choices>;
  vaults: readonly Vault[];
  /** Prices of these must not be later than this, milliseconds. */
  onTime: readonly Vault[];
  most: number;
  seconds: number;
  /** Runs beside the world; it has `pass`. */
  act?: (world: PriceWorld) => Promise<void>;
  /** What the adversary must not have brought about. @returns what it has. */
  check?: (world: PriceWorld) => string[];
};

/** @param isDisarmed - The defence is taken out of the honest nodes: what is stated must then fail. */
export type Adversary = (cast: Cast, isDisarmed: boolean) => Play;

const calm = vaultAt(1);
const other = vaultAt(2);
/** A heartbeat, and a block and a round on top of it. */
const usual = 11_500;
const longTerms = (n: number) => ({ ...simTiming(n), rMax: 250 });

const nobody: Adversary = () => ({
  choices: {},
  vaults: [calm, other],
  onTime: [calm, other],
  most: usual,
  seconds: 35,
});

/** Item 8: moves 4 % with each block, so that nodes which are a block apart refuse to sign it. */
const restlessVault: Adversary = (_cast, isDisarmed) => {
  const value = (seconds: number) => (Math.floor(seconds / 2) % 2 === 0 ? 1_000_000n : 1_040_000n);
  /** Signs all of a report or nothing. */
  const whole = (plugin: Plugin): Plugin => ({
    ...plugin,
    sign: async (context, report, maySign) => {
      const signature = await plugin.sign(context, report, maySign);
      return signature && plugin.signedEntries(report, signature).every(Boolean) ? signature : null;
    },
  });
  return {
    choices: isDisarmed ? { plugin: (_index, plugin) => whole(plugin) } : {},
    vaults: [calm, other, vaultAt(3, { value })],
    onTime: [calm, other],
    most: usual,
    seconds: 30,
  };
};

const saying =
  (change: (entries: readonly PriceEntry[]) => readonly PriceEntry[]) =>
  (plugin: Plugin): Plugin => ({
    ...plugin,
    observation: async (context, query) =>
      encodeObservation(
        decodeObservation(await plugin.observation(context, query)).map((chain) => ({
          ...chain,
          entries: change(chain.entries),
        })),
      ),
  });

/** Item 9: leads on without one vault, of which too few observations are left when f honest nodes are not heard. */
const censoringLeader: Adversary = (cast, isDisarmed) => {
  const timing = longTerms(cast.n);
  const leaderOf = leaderSchedule(priceConfig({ ...cast, timing }).config);
  const evil = [leaderOf(1)];
  const deaf = Array.from({ length: cast.n }, (_, index) => index)
    .filter((index) => !evil.includes(index))
    .slice(0, cast.f);
  const blind = saying((entries) => entries.filter(({ strategy }) => strategy !== other.strategy));
  // Of the 2f + 1 that are heard, as many leave the vault out as a quorum can miss.
  const helpers = Array.from({ length: cast.n }, (_, index) => index)
    .filter((index) => !evil.includes(index) && !deaf.includes(index))
    .slice(0, cast.f - 1);
  const isBlind = (index: number) => evil.includes(index) || helpers.includes(index);
  return {
    choices: {
      timing,
      plugin: (index, plugin) => {
        if (isBlind(index)) return blind(plugin);
        return isDisarmed ? { ...plugin, due: () => [] } : plugin;
      },
    },
    vaults: [calm, other],
    onTime: [calm, other],
    most: usual + 4_000 * cast.f,
    seconds: 40,
    act: async (world) => world.network.setCut((from, to) => deaf.includes(from) && evil.includes(to)),
    check: (world) => {
      const accused = new Set(
        world.events.flat().flatMap((event) => (event.type === 'left_out' ? [event.leader] : [])),
      );
      const wrongly = [...accused].filter((leader) => !isBlind(leader));
      return [
        ...(accused.has(evil[0] as number) ? [] : ['the censor is not named']),
        ...wrongly.map((leader) => `leader ${leader} is named and hides nothing`),
      ];
    },
  };
};

const gwei = 1_000_000_000n;

/** Item 10: an endpoint, or the whole market of an hour, says that 500 gwei of tip are usual. */
const wrongTips: Adversary = ({ random }, isDisarmed) => {
  const honest: Market = { baseFee: 30n * gwei, tip: gwei, highTip: 2n * gwei };
  const wrong: Market = { ...honest, tip: 500n * gwei, highTip: 500n * gwei };
  const settings: FeePolicy = { ...feeDefaults, maxFeeLimit: 200n * gwei, maxTip: 20n * gwei };
  const offered: { tip: bigint; most: bigint }[] = [];
  return {
    choices: {
      onTransmit: () => {
        const second = random.chance(0.5) ? honest : wrong;
        const used = isDisarmed ? { ...settings, maxTip: settings.maxFeeLimit } : settings;
        const { tip } = offer(isDisarmed ? wrong : lowestMarket([wrong, second]), used, 3);
        offered.push({ tip, most: second === honest ? honest.tip : settings.maxTip });
      },
    },
    vaults: [calm, other],
    onTime: [calm, other],
    most: usual,
    seconds: 24,
    check: () => [
      ...(offered.length > 0 ? [] : ['nothing was transmitted']),
      ...offered.filter(({ tip, most }) => tip > most).map(({ tip }) => `a tip of ${tip} wei is offered`),
    ],
  };
};

/** Item 7: somebody without a key writes to the subjects of the honest, more often than a peer may. */
const forger: Adversary = (_cast, isDisarmed) => {
  const bus = createPlayedBus({ chargesFirst: isDisarmed });
  return {
    choices: { keysOf: realKeys, transport: bus.transport },
    vaults: [calm],
    onTime: [calm],
    most: usual,
    seconds: 14,
    act: async (world) => floodWithForgeries(bus, world, 50),
  };
};

/** Item 11: finals of prices that nobody made, which would take a second of curve operations each. */
const echoFlooder: Adversary = (cast, isDisarmed) => {
  let looked = 0;
  let strayed = 0;
  const invented = inventedEcho(cast);
  return {
    choices: {
      ...(isDisarmed && { verifyOffchain: () => true }),
      plugin: (_index, plugin) => ({
        ...plugin,
        verify: async (report, signature, signer) => {
          const isInvented = invented.isOf(report);
          if (isInvented) looked += 1;
          return !isInvented && plugin.verify(report, signature, signer);
        },
      }),
    },
    vaults: [calm],
    onTime: [calm],
    most: usual,
    seconds: 25,
    act: async (world) => {
      const flood = () => {
        for (const from of cast.evil)
          for (let to = 0; to < cast.n; to += 1)
            if (!cast.isEvil(to)) world.network.send(from, to, invented.make(world, from));
        strayed += 1;
        world.scheduler.after(50, flood);
      };
      flood();
    },
    check: () => [
      ...(strayed > 100 ? [] : ['nothing was flooded']),
      ...(looked === 0 ? [] : [`${looked} invented signatures for the contract were looked at`]),
    ],
  };
};

/** Item 12: a leader that comes back again and again, where DeltaProgress is out of proportion. */
const restartingLeader: Adversary = ({ n }, isDisarmed) => {
  const timing = { ...longTerms(n), deltaProgress: 60_000 };
  const isLaterWish = (bytes: Uint8Array, world: Pick<PriceWorld, 'config'>) => {
    const limits = {
      oracles: world.config.oracles.length,
      query: 0,
      observation: 2 ** 16,
      report: 2 ** 16,
      signature: 2 ** 16,
    };
    const message = decodeMessage(bytes, limits);
    return message.kind === 'wish' && message.epoch > 1;
  };
  return {
    choices: {
      timing,
      // Without its resignation: as if nobody understood what the wish of a leader says.
      ...(isDisarmed && {
        transport: (_index, honest, world) => ({
          ...honest,
          broadcast: (bytes) => {
            if (!isLaterWish(bytes, world)) honest.broadcast(bytes);
          },
        }),
      }),
    },
    vaults: [calm],
    onTime: [calm],
    most: usual + 2_500,
    seconds: 45,
    act: async (world) => {
      for (let times = 0; times < 3; times += 1) {
        await world.pass(9_700);
        const { leader } = world.oracles[(world.leaderOf(1) + 1) % n]?.inspect() ?? { leader: 0 };
        await world.restart(leader);
      }
    },
  };
};

/** Item 13: an honest node comes back with an empty store, in an epoch in which it has signed. */
const emptyStore: Adversary = ({ random, n }, isDisarmed) => {
  const timing = { ...simTiming(n), rMax: 12 };
  const lost = random.int(0, n - 1);
  let at = { epoch: 0, time: 0 };
  return {
    choices: { timing, heartbeatSeconds: 2 },
    vaults: [calm],
    onTime: [],
    most: 0,
    seconds: 45,
    act: async (world) => {
      await world.pass(18_000);
      const from = world.oracles[0]?.inspect().epoch ?? 0;
      while (world.oracles[0]?.inspect().epoch === from) await world.pass(500);
      await world.pass(4_500);
      at = { epoch: world.oracles[lost]?.inspect().epoch ?? 0, time: world.scheduler.now() };
      await world.restartEmpty(lost, isDisarmed ? 'sign' : 'wait');
    },
    check: ({ signed }) => {
      const own = signed[lost] ?? [];
      const after = own.filter((each) => each.at > at.time);
      const again = after.filter(({ epoch }) => epoch <= at.epoch);
      return [
        ...(own.some((each) => each.at <= at.time && each.epoch === at.epoch) ? [] : ['it had signed nothing to lose']),
        ...(after.length > again.length ? [] : ['it never signs again']),
        ...again.map(
          ({ epoch, round }) => `it signs in epoch ${epoch}, round ${round}, and does not know whether it did`,
        ),
      ];
    },
  };
};

/** Items 13 and 14: nodes that sign two reports of a round, and show both to its leader. */
const equivocator: Adversary = (cast, isDisarmed) => ({
  choices: {
    ...(isDisarmed && { store: (_index, store) => ({ ...store, addEvidence: async () => undefined }) }),
    transport: (index, honest, world) => (cast.isEvil(index) ? signTwice(index, honest, world) : honest),
  },
  vaults: [calm],
  onTime: [calm],
  most: usual,
  seconds: 24,
  check: (world) => {
    const kept = world.oracles.flatMap((_, index) => (cast.isEvil(index) ? [] : world.evidenceOf(index)));
    const named = new Set(kept.map(({ oracle }) => oracle));
    return cast.evil.filter((index) => !named.has(index)).map((index) => `nobody has evidence against ${index}`);
  },
});

export const adversaries = {
  nobody,
  'restless vault': restlessVault,
  'censoring leader': censoringLeader,
  'wrong tips': wrongTips,
  forger,
  'echo flooder': echoFlooder,
  'restarting leader': restartingLeader,
  'empty store': emptyStore,
  equivocator,
} as const satisfies Record<string, Adversary>;
export type AdversaryName = keyof typeof adversaries;
