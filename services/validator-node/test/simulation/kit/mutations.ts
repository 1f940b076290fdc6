import type { Mutation } from './world.ts';

/** Rules taken out of every honest node, one at a time. A suite in which these go unnoticed proves nothing. */
export const mutations: Record<string, Mutation> = {
  /** Signs whatever it is asked to. */
  'no sign guard': { store: (store) => ({ ...store, guardSignature: async () => 'ok' }) },
  /** One observation is enough for n = 4, three for n = 7. */
  'too few observations': { config: (config) => ({ ...config, f: Math.max(0, config.f - 1) }) },
  /** Starts over at epoch 1 after each restart. */
  'epoch forgotten': { store: (store) => ({ ...store, readPacemaker: async () => null }) },
  /** Broadcasts a wish that is not yet on disk. */
  'wish sent before it is stored': {
    store: (store) => ({
      ...store,
      writePacemaker: async (digest, state) => {
        void store.writePacemaker(digest, state).catch(() => undefined);
      },
    }),
  },
  /** Believes every signature under a report. */
  'report signatures not verified': {
    parts: (parts) => ({ ...parts, plugin: { ...parts.plugin, verify: async () => true } }),
  },
  /** Says nothing about its epoch again: what is lost stays lost. */
  'no resend': {
    config: (config) => ({ ...config, timing: { ...config.timing, deltaResend: 10_000_000 } }),
  },
};
