import { describe, expect, test } from '@jest/globals';
import {
  type Address,
  type Hex,
  hashTypedData,
  keccak256,
  parseSignature,
  serializeCompactSignature,
  serializeSignature,
  signatureToCompactSignature,
  toBytes,
} from 'viem';
import { sign } from 'viem/accounts';
import { chainOfTests } from './chain-of-tests.ts';
import {
  argsOfEvent,
  batchOf,
  type Contract,
  type Entry,
  keyOf,
  keys,
  names,
  one,
  type Protocol,
  person,
  prices,
  type SignChoices,
  signed,
  signers,
  type TestChain,
  who,
} from './test-chain.ts';

/** Every outcome of a price batch: what reverts, what is skipped with an event, what uses up the nonce. */

let chain: TestChain;
let protocol: Protocol;

chainOfTests((made, deployed) => {
  chain = made;
  protocol = deployed;
});

const nonce = (strategy?: Address) => prices(chain, protocol).nonce(strategy);
const storedPps = () => prices(chain, protocol).stored();
const publish = (entries: Entry[], oracle?: Contract) => prices(chain, protocol).publish(entries, oracle);
const entryAt = (secondsAgo: bigint, pps?: bigint, choices?: SignChoices) =>
  prices(chain, protocol).entryAt(secondsAgo, pps, choices);
const fresh = (pps?: bigint, choices?: SignChoices) => prices(chain, protocol).fresh(pps, choices);

describe('the whole call', () => {
  const attempt = (batch: unknown) => chain.attempt(who.transmitter, protocol.oracle, 'updatePPS', [batch]);

  test('error: ZERO_LENGTH_ARRAY without entries', async () => {
    expect(await attempt(batchOf([]))).toBe('ZERO_LENGTH_ARRAY');
  });

  test.each(['proofsArray', 'ppss', 'timestamps'])('error: ARRAY_LENGTH_MISMATCH when %s is shorter', async (field) => {
    const batch = batchOf([await fresh()]);
    expect(await attempt({ ...batch, [field]: [] })).toBe('ARRAY_LENGTH_MISMATCH');
  });

  test('error: MAX_STRATEGIES_EXCEEDED with 301 entries; 300 are too few to refuse', async () => {
    const many = (count: number) =>
      batchOf(
        Array.from({ length: count }, (_, index) => ({
          strategy: `0x${(index + 1).toString(16).padStart(40, '0')}` as Address,
          pps: one,
          timestamp: 1n,
          proofs: [],
        })),
      );
    expect(await attempt(many(301))).toBe('MAX_STRATEGIES_EXCEEDED');
    expect(await attempt(many(300))).toBe('ok');
  });

  test('error: STRATEGIES_NOT_SORTED_UNIQUE when descending or repeated', async () => {
    const entry = await fresh();
    const lower = { ...entry, strategy: '0x0000000000000000000000000000000000000001' as Address };
    expect(await attempt(batchOf([entry, lower]))).toBe('STRATEGIES_NOT_SORTED_UNIQUE');
    expect(await attempt(batchOf([entry, entry]))).toBe('STRATEGIES_NOT_SORTED_UNIQUE');
  });

  test('error: INVALID_TOTAL_VALIDATORS before any validator is registered', async () => {
    const governor = await chain.deploy('DevGovernor', [who.deployer]);
    const oracle = await chain.deploy('DevPPSOracle', [governor.address, 'ECDSAPPSOracle', '1.0']);
    const batch = batchOf([await fresh()]);
    expect(await chain.attempt(who.transmitter, oracle, 'updatePPS', [batch])).toBe('INVALID_TOTAL_VALIDATORS');
  });
});

describe('one entry with bad proofs is skipped and keeps its nonce', () => {
  const reasonOf = async (entry: Entry): Promise<string> => {
    const before = await nonce();
    const events = await publish([entry]);
    expect(names(events)).toEqual(['ProofValidationFailedLowLevel']);
    expect([await nonce(), await storedPps()]).toEqual([before, one]);
    const data = argsOfEvent(events, 'ProofValidationFailedLowLevel').data as Hex;
    const known = [
      ...['ZERO_LENGTH_ARRAY()', 'QUORUM_NOT_MET()', 'INVALID_VALIDATOR()', 'INVALID_PROOF()'],
      ...['ECDSAInvalidSignature()', 'ECDSAInvalidSignatureLength(uint256)', 'ECDSAInvalidSignatureS(bytes32)'],
    ];
    return known.find((error) => keccak256(toBytes(error)).startsWith(data.slice(0, 10))) ?? data;
  };
  const withProofs = (entry: Entry, proofs: Hex[]): Entry => ({ ...entry, proofs });
  const head = ({ proofs }: Entry) => proofs as [Hex, Hex, Hex];

  test('behavior: no proofs', async () => {
    expect(await reasonOf(withProofs(await fresh(), []))).toBe('ZERO_LENGTH_ARRAY()');
  });

  test('behavior: two of three', async () => {
    expect(await reasonOf(await fresh(one, { by: signers.slice(0, 2) }))).toBe('QUORUM_NOT_MET()');
  });

  test('behavior: an unknown signer among them, even beside a quorum of good ones', async () => {
    const by = [...signers.slice(0, 3), person(50)].sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
    expect(await reasonOf(await fresh(one, { by }))).toBe('INVALID_VALIDATOR()');
  });

  test('behavior: signers that do not ascend, or sign twice', async () => {
    const entry = await fresh();
    const [a, b, c] = head(entry);
    expect(await reasonOf(withProofs(entry, [b, a, c]))).toBe('INVALID_PROOF()');
    expect(await reasonOf(withProofs(entry, [a, a, b]))).toBe('INVALID_PROOF()');
  });

  test('behavior: a compact signature, a high s, a recovery byte that is none', async () => {
    const entry = await fresh();
    const [a, b, c] = head(entry);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const { r, s, yParity } = parseSignature(a);
    const compact = serializeCompactSignature(signatureToCompactSignature({ r, s, yParity: yParity ?? 0 }));
    const mirrored = `0x${(order - BigInt(s)).toString(16).padStart(64, '0')}` as Hex;
    const high = serializeSignature({ r, s: mirrored, yParity: yParity === 0 ? 1 : 0 });
    expect(await reasonOf(withProofs(entry, [compact, b, c]))).toBe('ECDSAInvalidSignatureLength(uint256)');
    expect(await reasonOf(withProofs(entry, [high, b, c]))).toBe('ECDSAInvalidSignatureS(bytes32)');
    expect(await reasonOf(withProofs(entry, [`${a.slice(0, -2)}05` as Hex, b, c]))).toBe('ECDSAInvalidSignature()');
  });

  test('behavior: another nonce, chain, price or time than was signed recovers a stranger', async () => {
    const entry = await fresh();
    expect(await reasonOf(await entryAt(0n, one, { nonce: 1n }))).toBe('INVALID_VALIDATOR()');
    expect(await reasonOf(await entryAt(0n, one, { chainId: 1n }))).toBe('INVALID_VALIDATOR()');
    expect(await reasonOf({ ...entry, pps: entry.pps + 1n })).toBe('INVALID_VALIDATOR()');
    expect(await reasonOf({ ...entry, timestamp: entry.timestamp - 1n })).toBe('INVALID_VALIDATOR()');
  });

  test('behavior: the padded digest of a wallet is not the packed one', async () => {
    const entry = await fresh();
    const hash = hashTypedData({
      domain: { name: 'ECDSAPPSOracle', version: '1.0', chainId: 31_337, verifyingContract: protocol.oracle.address },
      types: {
        UpdatePPS: [
          { name: 'strategy', type: 'address' },
          { name: 'pps', type: 'uint256' },
          { name: 'timestamp', type: 'uint256' },
          { name: 'strategyNonce', type: 'uint256' },
        ],
      },
      primaryType: 'UpdatePPS',
      message: { ...entry, strategyNonce: await nonce() },
    });
    const by = signers.slice(0, 3);
    const proofs = await Promise.all(by.map((signer) => sign({ hash, privateKey: keyOf(signer), to: 'hex' })));
    expect(await reasonOf(withProofs(entry, proofs))).toBe('INVALID_VALIDATOR()');
  });

  test('behavior: a good entry beside it is stored', async () => {
    const good = await fresh(1_001_000n);
    const bad = { ...good, strategy: '0x0000000000000000000000000000000000000001' as Address };
    const events = await publish([bad, good]);
    expect(names(events)).toEqual(['ProofValidationFailedLowLevel', 'PPSValidated', 'UpkeepSpent', 'PPSUpdated']);
    expect(argsOfEvent(events, 'PPSValidated')).toEqual({
      strategy: protocol.strategy.address,
      pps: 1_001_000n,
      timestamp: good.timestamp,
      sender: who.transmitter,
    });
  });

  test('behavior: all four validators are as good as three', async () => {
    expect(names(await publish([await fresh(one, { by: signers })]))).toContain('PPSUpdated');
  });
});

describe('forwarding that fails keeps the nonce', () => {
  test('error: CONTRACT_NOT_FOUND when no aggregator is registered', async () => {
    const governor = await chain.deploy('DevGovernor', [who.deployer]);
    const oracle = await chain.deploy('DevPPSOracle', [governor.address, 'ECDSAPPSOracle', '1.0']);
    const addresses = signers.map(({ address }) => address);
    await chain.send(who.deployer, governor, 'setValidatorConfig', [1n, addresses, addresses, 3n, '0x']);
    const batch = batchOf([await fresh(one, { oracle })]);
    expect(await chain.attempt(who.transmitter, oracle, 'updatePPS', [batch])).toBe('CONTRACT_NOT_FOUND');
  });

  test('behavior: an oracle that is not the active one is heard but not stored', async () => {
    const oracle = await chain.deploy('DevPPSOracle', [protocol.governor.address, 'ECDSAPPSOracle', '1.0']);
    const events = await publish([await fresh(1_001_000n, { oracle })], oracle);
    expect(names(events)).toEqual(['PPSValidated', 'BatchForwardPPSFailedLowLevel']);
    const reason = keccak256(toBytes('UNAUTHORIZED_PPS_ORACLE()')).slice(0, 10);
    expect(argsOfEvent(events, 'BatchForwardPPSFailedLowLevel').lowLevelData).toBe(reason);
    expect(await chain.read(oracle, 'noncePerStrategy', [protocol.strategy.address])).toBe(0n);
    expect(await storedPps()).toBe(one);
  });

  test('behavior: the same signatures pass once the aggregator answers again', async () => {
    const { governor, aggregator, asset } = protocol;
    const entry = await fresh(1_001_000n);
    await chain.send(who.deployer, governor, 'setAddress', [keys.aggregator, asset.address]);
    expect(names(await publish([entry]))).toEqual(['PPSValidated', 'BatchForwardPPSFailedLowLevel']);
    await chain.send(who.deployer, governor, 'setAddress', [keys.aggregator, aggregator.address]);
    expect(names(await publish([entry]))).toEqual(['PPSValidated', 'UpkeepSpent', 'PPSUpdated']);
    expect(await nonce()).toBe(1n);
  });
});

describe('what the aggregator refuses uses up the nonce', () => {
  /** The event after `PPSValidated`; nothing stored, nonce used, nothing charged. */
  const refused = async (entry: Entry): Promise<string[]> => {
    const before = await nonce(entry.strategy);
    const stored = await storedPps();
    const upkeep = await chain.read(protocol.aggregator, 'getUpkeepBalance', [protocol.strategy.address]);
    const events = names(await publish([entry]));
    expect(events[0]).toBe('PPSValidated');
    expect(await nonce(entry.strategy)).toBe(before + 1n);
    expect(await storedPps()).toBe(stored);
    expect(await chain.read(protocol.aggregator, 'getUpkeepBalance', [protocol.strategy.address])).toBe(upkeep);
    return events.slice(1);
  };
  const pause = (functionName: string) =>
    chain.send(who.main, protocol.aggregator, functionName, [protocol.strategy.address]);

  test('behavior: a strategy it does not know', async () => {
    const future = (await chain.now()) + 500n;
    const strategy = who.stranger;
    // Its time lies ahead too: the first failed check is the one in the event.
    expect(await refused(await signed(chain, protocol, { pps: one, timestamp: future, strategy }))).toEqual([
      'UnknownStrategy',
    ]);
  });

  test('behavior: a time ahead of the block, also while paused', async () => {
    await chain.pass(61);
    await pause('pauseStrategy');
    expect(await refused(await entryAt(-500n))).toEqual(['ProvidedTimestampExceedsBlockTimestamp']);
  });

  test('behavior: paused, also when the time is stale', async () => {
    await chain.pass(4_000);
    await pause('pauseStrategy');
    expect(await refused(await entryAt(3_700n))).toEqual(['PPSUpdateRejectedStrategyPaused']);
  });

  test('behavior: older than the maximum staleness', async () => {
    await chain.pass(4_000);
    const entry = await entryAt(3_700n);
    const events = await publish([entry]);
    expect(names(events)).toEqual(['PPSValidated', 'StaleUpdate']);
    expect(argsOfEvent(events, 'StaleUpdate')).toEqual({
      strategy: protocol.strategy.address,
      updateAuthority: who.transmitter,
      timestamp: entry.timestamp,
    });
    expect(await nonce()).toBe(1n);
  });

  test('behavior: not after the last update', async () => {
    const entry = await fresh();
    await publish([entry]);
    await chain.pass(100);
    const again = await signed(chain, protocol, { pps: one, timestamp: entry.timestamp });
    expect(await refused(again)).toEqual(['TimestampNotMonotonic']);
  });

  test('behavior: signed before the unpause', async () => {
    await chain.pass(61);
    const timestamp = await chain.now();
    await pause('pauseStrategy');
    await pause('unpauseStrategy');
    expect(await refused(await signed(chain, protocol, { pps: one, timestamp }))).toEqual([
      'StaleSignatureAfterUnpause',
    ]);
  });

  test('behavior: less than the minimum interval after the last one, measured between signed times', async () => {
    const first = await fresh();
    await publish([first]);
    await chain.pass(500);
    const early = await signed(chain, protocol, { pps: one, timestamp: first.timestamp + 59n });
    expect(await refused(early)).toEqual(['UpdateTooFrequent']);
    const due = await signed(chain, protocol, { pps: one, timestamp: first.timestamp + 60n });
    expect(names(await publish([due]))).toContain('PPSUpdated');
  });
});
