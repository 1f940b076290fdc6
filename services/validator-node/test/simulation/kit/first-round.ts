import { config, leaderOf, observed, reported, single } from './single.ts';

/** The first round of the first epoch, as everybody would say it. */
export { config };
export const { timing, digest } = config;
export const leader = leaderOf(1);
export const others = [0, 1, 2, 3].filter((i) => i !== leader);
export const [follower, second, third] = others as [number, number, number];
export const at = { epoch: 1, round: 1 };
export const query = Uint8Array.of(9);
export const observeReq = { kind: 'observe_req', ...at, query } as const;
export const ascending = (oracles: number[]) => [...oracles].sort((a, b) => a - b);
export const observations = ascending([leader, follower, second]).map((i) => observed(at, i, query));
export const reportReq = { kind: 'report_req', ...at, query, observations } as const;
export const signers = ascending([leader, second, third]);
export const final = { kind: 'final', ...reported(at, query, observations, signers) } as const;

/** A follower that has been asked for its report. */
export async function asked(changes: Partial<Parameters<typeof single>[0]> = {}) {
  const node = single({ index: follower, ...changes });
  await node.oracle.start();
  node.hear(leader, observeReq);
  await node.pass(10);
  node.hear(leader, reportReq);
  await node.pass(10);
  return node;
}
