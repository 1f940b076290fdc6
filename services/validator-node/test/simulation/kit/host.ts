import type {
  Clock,
  NetworkConfig,
  OffchainKeyring,
  Plugin,
  ProtocolEvent,
  ProtocolStore,
  Transport,
} from '../../../src/ports.ts';
import { createOracle, type Oracle } from '../../../src/protocol/oracle.ts';
import type { VerifyOffchain } from '../../../src/protocol/signing.ts';
import type { Evil } from './byzantine.ts';
import { type Access, createDiskStore, emptyDisk } from './disk.ts';
import type { FakeChain } from './fake-chain.ts';
import type { Network } from './network.ts';
import type { Prng } from './prng.ts';
import type { Scheduler } from './scheduler.ts';

/** Chances per access to the disk, and whether they hold at this moment. */
export type DiskFaults = { crash: number; fail: number };

export type Host = {
  boot(): void;
  /** As a power cut: nothing of it runs, sends or writes afterwards. Boots again after a while. */
  crash(downtime?: number): void;
  oracle(): Oracle | null;
};

type Options = {
  index: number;
  config: NetworkConfig;
  scheduler: Scheduler;
  network: Network;
  chain: FakeChain;
  random: Prng;
  keyring: OffchainKeyring;
  verifyOffchain: VerifyOffchain;
  plugin: (pause: (milliseconds: number) => Promise<void>) => Plugin;
  faults: () => DiskFaults;
  downtime: () => number;
  observer: (event: ProtocolEvent) => void;
  /** Replaces a part of an honest node: by a faulty one, or to see that the watch notices. */
  change?: (parts: Evil) => Evil;
  changeStore?: (store: ProtocolStore) => ProtocolStore;
};

/** One machine: a disk that outlives the processes on it. */
export function createHost(options: Options): Host {
  const { index, config, scheduler, network, chain, random, faults } = options;
  const disk = emptyDisk();
  let current: { alive: boolean; oracle: Oracle; detach: () => void } | null = null;

  const crash = (downtime = options.downtime()) => {
    if (!current) return;
    current.alive = false;
    current.detach();
    current = null;
    scheduler.after(downtime, boot);
  };

  const boot = () => {
    if (current) return;
    const life = { alive: true, detach: () => undefined as unknown } as {
      alive: boolean;
      oracle: Oracle;
      detach: () => void;
    };
    const clock: Clock = {
      now: () => scheduler.now(),
      after: (milliseconds, run) => scheduler.after(milliseconds, () => life.alive && run()),
    };
    const pause = (milliseconds: number) => new Promise<void>((resolve) => clock.after(milliseconds, resolve));
    const access =
      (crashes: boolean): Access =>
      (operation) =>
        new Promise((resolve, reject) => {
          const fate = faults();
          const act = () => {
            if (!life.alive) return;
            if (random.chance(fate.fail)) return reject(new Error('the disk is not there'));
            const dies = crashes && random.chance(fate.crash);
            if (dies && random.chance(0.5)) return crash();
            const value = operation();
            if (dies) return crash();
            resolve(value);
          };
          if (random.chance(0.5)) act();
          else clock.after(random.int(1, 8), act);
        });
    const parts: Evil = {
      transport: transportOf(life),
      plugin: options.plugin(pause),
      observer: (event) => {
        if (life.alive) options.observer(event);
      },
    };
    const { transport, plugin, observer } = options.change?.(parts) ?? parts;
    const store = createDiskStore(disk, access(false), access(true));
    life.oracle = createOracle({
      config,
      index,
      clock,
      random,
      transport,
      plugin,
      observer,
      store: options.changeStore?.(store) ?? store,
      keyring: options.keyring,
      verifyOffchain: options.verifyOffchain,
      transmitter: {
        submit: async (key, prices) => {
          await access(true)(() => disk.submitted.add(key));
          scheduler.after(random.int(20, 400), () => chain.update(prices));
        },
      },
    });
    current = life;
    // A store that fails at the start: the process ends and is started again.
    life.oracle.start().catch(() => life.alive && crash());
  };

  const transportOf = (life: { alive: boolean; detach: () => void }): Transport => {
    const send = (to: number, message: Uint8Array) => {
      if (life.alive) network.send(index, to, message);
    };
    return {
      start: (handler) => {
        life.detach = network.attach(index, handler);
      },
      send,
      broadcast: (message) => {
        for (let to = 0; to < config.oracles.length; to += 1) if (to !== index) send(to, message);
      },
      close: async () => life.detach(),
    };
  };

  return { boot, crash, oracle: () => current?.oracle ?? null };
}
