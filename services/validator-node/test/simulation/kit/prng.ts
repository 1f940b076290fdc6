/** Seeded numbers (sfc32). Each purpose forks its own, so that one draw more here changes nothing there. */
export type Prng = {
  u32(): number;
  chance(probability: number): boolean;
  /** Whole, both ends included. */
  int(least: number, most: number): number;
  pick<T>(from: readonly T[]): T;
  sample<T>(from: readonly T[], probability: number): T[];
  bytes(length: number): Uint8Array;
  fork(label: string): Prng;
};

const hash = (text: string, seed: number): number => {
  let h = seed ^ 0x9e3779b9;
  for (const character of text) h = Math.imul(h ^ character.charCodeAt(0), 0x85ebca6b) ^ (h >>> 13);
  return h >>> 0;
};

export function prng(seed: number): Prng {
  let a = hash('a', seed);
  let b = hash('b', seed);
  let c = seed | 0;
  let d = 1;
  const u32 = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i += 1) u32();
  const int = (least: number, most: number) => least + (u32() % (most - least + 1));
  const chance = (probability: number) => u32() < probability * 2 ** 32;
  return {
    u32,
    chance,
    int,
    pick: <T>(from: readonly T[]): T => from[int(0, from.length - 1)] as T,
    sample: (from, probability) => from.filter(() => chance(probability)),
    bytes: (length) => Uint8Array.from({ length }, () => u32() & 255),
    fork: (label) => prng(hash(label, u32())),
  };
}
