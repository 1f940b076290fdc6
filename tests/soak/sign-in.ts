import { signIn as signInOnce, until } from '../system/actors.ts';

const doneMs = 300_000;

/** Signs in, again until it succeeds: what answers may be taken away at any time. */
export const signIn = (index: number): ReturnType<typeof signInOnce> =>
  until(`account ${index} signed in`, () => signInOnce(index).catch(() => undefined), doneMs);
