import { longTests } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { soak } from './play.ts';

/** Below the ports that the kernel gives to connections, and beside those of tests/system. */
const portOffset = 5_600;

/** Eleven processes take a minute of processor time to start and to stop: by hand, `LONG_TESTS=1`. */
const testAtLength = longTests ? test : test.skip;

testAtLength(
  'behavior: two each of gateway, auth, vaults, analytics and users are killed, frozen and cut off, and what was promised holds',
  async () => {
    const said: string[] = [];
    const options = {
      seconds: 45,
      seed: 13,
      portOffset,
      keep: false,
      isWhole: false,
      say: (line: string) => void said.push(line),
    };
    const holds = await soak(options, new AbortController().signal);
    expect({ holds, said: holds ? [] : said }).toEqual({ holds: true, said: [] });
  },
  900_000,
);
