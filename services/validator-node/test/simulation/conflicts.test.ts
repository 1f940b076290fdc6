import { expect, test } from '@jest/globals';
import {
  asked,
  at,
  digest,
  final,
  follower,
  leader,
  observations,
  others,
  query,
  second,
  third,
  timing,
} from './kit/first-round.ts';
import { attestedBy, config, observed, reported, single } from './kit/single.ts';

/** Oracles that sign twice: what is kept of it. */

/** Another report of the same round, which these have signed as well. */
const other = { ...reported(at, query, observations, [leader, second, third].sort()), report: Uint8Array.of(7, 7, 7) };
const otherSignedBy = (signers: readonly number[]) => ({
  ...other,
  signatures: [...signers].sort().map((signer) => attestedBy(at, other, signer)),
});

test('behavior: a signer of two finals of one round is named, and both are kept', async () => {
  const node = await asked();
  node.hear(leader, final);
  await node.pass(10);
  node.hear(second, { kind: 'final_echo', ...otherSignedBy([second, third]) });
  await node.pass(10);
  const named = node.events.filter(({ type }) => type === 'conflicting_signatures');
  expect(named).toEqual(
    [second, third].sort().map((oracle) => ({
      type: 'conflicting_signatures',
      kind: 'report',
      oracle,
      signer: config.oracles[oracle]?.signer,
      ...at,
    })),
  );
  const [kept] = node.disk.evidence;
  expect(kept).toMatchObject({ digest, first: { report: final.report }, second: { report: other.report, ...at } });
  node.hear(third, { kind: 'final_echo', ...otherSignedBy([second, third]) });
  await node.pass(10);
  expect(node.disk.evidence).toHaveLength(2);
});

test('behavior: nobody is named by what somebody else invents, and the inventor is not listened to for long', async () => {
  const node = await asked();
  node.hear(leader, final);
  await node.pass(10);
  const forged = otherSignedBy([leader, third]).signatures.map((each) => ({
    ...each,
    attestation: new Uint8Array(64),
  }));
  for (let i = 0; i < 20; i += 1) node.hear(second, { kind: 'final_echo', ...other, signatures: forged });
  await node.pass(10);
  node.hear(second, { kind: 'final_echo', ...otherSignedBy([leader]) });
  await node.pass(10);
  expect(node.disk.evidence).toEqual([]);
});

test('behavior: a leader notices one that reports twice', async () => {
  const node = single({ index: leader });
  await node.oracle.start();
  await node.pass(10);
  for (const i of others) node.hear(i, { kind: 'observe', ...at, ...observed(at, i, query) });
  await node.pass(timing.deltaGrace + 10);
  const sound = reported(at, query, node.sentOf('report_req')[0]?.observations ?? [], others);
  for (const outcome of [sound, { ...sound, report: Uint8Array.of(9) }]) {
    const { signature, attestation } = attestedBy(at, outcome, second);
    node.hear(second, { kind: 'report', ...at, signed: { report: outcome.report, signature, attestation } });
  }
  await node.pass(10);
  expect(node.disk.evidence).toMatchObject([{ kind: 'report', oracle: second }]);
});

test('behavior: two prices of one nonce and time are evidence, also when they are of different rounds', async () => {
  const prices = (report: Uint8Array) => [BigInt(report[0] ?? 0)];
  const node = await asked({ plugin: { prices, verify: async () => true } });
  const later = { epoch: 1, round: 2 };
  const outcome = { ...final, ...later, report: Uint8Array.of(9) };
  const signatures = final.signatures.map(({ signer }) => attestedBy(later, outcome, signer));
  node.hear(leader, final);
  node.hear(second, { ...outcome, kind: 'final_echo', signatures });
  await node.pass(10);
  expect(node.disk.evidence.map(({ kind, oracle }) => [kind, oracle])).toEqual(
    final.signatures.map(({ signer }) => ['price', signer]),
  );
});

test('error: evidence that the store does not take is kept when it does', async () => {
  let works = true;
  const node = await asked({
    index: follower,
    writes: async () => (works ? undefined : Promise.reject(new Error('no disk'))),
  });
  node.hear(leader, final);
  await node.pass(10);
  works = false;
  node.hear(second, { kind: 'final_echo', ...otherSignedBy([third]) });
  await node.pass(10);
  expect(node.disk.evidence).toEqual([]);
  works = true;
  await node.pass(timing.deltaResend + 10);
  expect(node.disk.evidence).toHaveLength(1);
});
