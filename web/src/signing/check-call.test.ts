import '../../test/browser.ts';
import { isDepositorKind, type PreparedCall, preparedKinds } from '@castellan/contracts';
import { type Asked, checkCall, checkDescribed, checkSteps, type Intent } from '@castellan/sdk/calls';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anAddress } from '../../test/builders.ts';
import {
  anIntent,
  aPreparedCall,
  callOf,
  changeOf,
  everyChange,
  manager,
  primary,
  strategy,
} from '../../test/prepared.ts';

const other = anAddress(0x21);
const add = anIntent({ kind: 'add_secondary_manager', args: { manager_address: manager } });
/** The arguments of a call as they are encoded. */
const argsOf = ({ decoded }: PreparedCall) =>
  Object.fromEntries(
    Object.entries(decoded.args).map(([name, value]) => [
      name,
      /^\d+$/.test(String(value)) ? BigInt(String(value)) : value,
    ]),
  );
const problemsOf = (parts: Partial<PreparedCall>, intent: Intent = add) =>
  checkCall(aPreparedCall(parts), intent).problems;

/** The calldata with one of its bytes set to something else. */
function mutated(data: string, place: number, difference: number): string {
  const bytes = Buffer.from(data.slice(2), 'hex');
  const index = place % bytes.length;
  bytes[index] = (bytes[index] ?? 0) ^ difference;
  return `0x${bytes.toString('hex')}`;
}

describe('checkCall', () => {
  test('default: every kind of change passes as the server prepares it', () => {
    expect(new Set(everyChange.map(([{ kind }]) => kind))).toEqual(new Set(preparedKinds));
    for (const [asked, steps] of everyChange) {
      const found = checkSteps(steps, anIntent(asked)).map(({ problems }) => problems);
      expect([asked.kind, ...found.flat()]).toEqual([asked.kind]);
    }
  });

  test('behavior: a change of any byte of any calldata blocks, with the description left as it was', () => {
    const cases = everyChange.flatMap(([asked, steps]) => steps.map((_, index) => ({ asked, steps, index })));
    for (const { asked, steps, index } of cases) {
      const call = steps[index] ?? aPreparedCall();
      const bytes = (call.data.length - 2) / 2;
      for (let place = 0; place < bytes; place += 1) {
        for (const difference of [1, 0x80]) {
          const altered = steps.with(index, { ...call, data: mutated(call.data, place, difference) });
          const blocked = checkSteps(altered, anIntent(asked)).some(({ problems }) => problems.length > 0);
          if (!blocked) throw new Error(`${asked.kind}: byte ${place} may be changed unnoticed`);
        }
      }
    }
  });

  test('behavior: bytes cut off, added or changed at random never pass', () => {
    const cases = everyChange.flatMap(([asked, steps]) => steps.map((call) => ({ asked, call })));
    fc.assert(
      fc.property(
        fc.constantFrom(...cases),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        ({ asked, call }, place, difference, more) => {
          const tail = Buffer.from(more).toString('hex');
          const cut = call.data.slice(0, 2 + 2 * (place % ((call.data.length - 2) / 2)));
          for (const data of [mutated(call.data, place, difference), `${call.data}${tail}`, cut]) {
            expect(checkCall({ ...call, data }, anIntent(asked)).problems).not.toEqual([]);
          }
        },
      ),
      { numRuns: 300, seed: 8 },
    );
  });

  test('behavior: the calls of one change never pass for another', () => {
    for (const [asked, [call]] of everyChange) {
      for (const [wanted] of everyChange) {
        if (wanted === asked || call === undefined) continue;
        const { problems } = checkCall(call, anIntent(wanted));
        if (problems.length === 0) throw new Error(`${asked.kind} passes for ${wanted.kind}`);
      }
    }
  });

  test.each<[string, Partial<PreparedCall>]>([
    ['another wallet, described so too', callOf('addSecondaryManager', { strategy, manager: other })],
    ['another vault, described so too', callOf('addSecondaryManager', { strategy: other, manager })],
    ['another function, described so too', callOf('removeSecondaryManager', { strategy, manager })],
    ['a function this page does not know', { data: '0x12345678' }],
    ['another chain', { chain_id: 1 }],
    ['native currency', { value: '1' }],
    ['the vault as target', { to: strategy }],
    [
      'a description of another wallet',
      { decoded: { function: 'addSecondaryManager', args: { strategy, manager: other } } },
    ],
    ['a description of another function', { decoded: { function: 'pauseStrategy', args: { strategy, manager } } }],
    ['a description with less', { decoded: { function: 'addSecondaryManager', args: { strategy } } }],
    [
      'a description with more',
      { decoded: { function: 'addSecondaryManager', args: { strategy, manager, amount: '1' } } },
    ],
  ])('behavior: %s is a problem', (_, parts) => {
    expect(problemsOf(parts)).not.toEqual([]);
  });

  test('behavior: a call of the strategy goes to this strategy only', () => {
    const [intent, [call]] = changeOf('execute_fees');
    expect(checkCall({ ...(call ?? aPreparedCall()), to: other }, intent).problems).not.toEqual([]);
  });

  test('behavior: an approval is on the upkeep token, for the amount, and for the contract paid next', () => {
    const [intent, [approve, deposit]] = changeOf('deposit_upkeep');
    if (!approve || !deposit) throw new Error('two steps');
    const asked = (amount: string): Asked => ({ kind: 'deposit_upkeep', args: { amount } });
    const value = 5_000_000_000_000_000_000n;
    const problems = (step: PreparedCall, wanted = intent) =>
      checkSteps([step, deposit], wanted).flatMap((each) => each.problems);
    expect(problems(approve)).toEqual([]);
    expect(problems({ ...approve, to: other })).toContainEqual(expect.stringContaining('another token'));
    const elsewhere = { ...approve, ...callOf('approve', { spender: other, value }) };
    expect(problems(elsewhere)).toContainEqual(expect.stringContaining('paid next'));
    expect(problems(approve, anIntent(asked('1')))).toContainEqual(expect.stringContaining('another value'));
    expect(checkSteps([approve], intent).flatMap((each) => each.problems)).not.toEqual([]);
  });
});

describe('a call of the own position', () => {
  const kinds = preparedKinds.filter(isDepositorKind);

  test.each(kinds)('security: %s for another wallet is a problem, described so too', (kind) => {
    const [intent, steps] = changeOf(kind);
    const call = steps.at(-1) ?? aPreparedCall();
    for (const name of ['receiver', 'controller', 'owner'].filter((each) => each in call.decoded.args)) {
      const forOther = callOf(call.decoded.function, { ...argsOf(call), [name]: other });
      expect(checkSteps(steps.with(-1, { ...call, ...forOther }), intent).at(-1)?.problems).toContain(
        `The calldata has another ${name} than you asked for.`,
      );
    }
  });

  test.each(kinds)('security: %s goes to this vault only, and from the wallet that asked', (kind) => {
    const [intent, steps] = changeOf(kind);
    const call = steps.at(-1) ?? aPreparedCall();
    const problems = (parts: Partial<PreparedCall>, wanted = intent) =>
      checkCall({ ...call, ...parts }, wanted).problems;
    expect(problems({ to: strategy })).toEqual(['The call goes to another contract than this vault.']);
    expect(problems({}, { ...intent, wallet: primary })).toEqual([]);
    expect(problems({}, { ...intent, wallet: other })).toEqual([
      'The call is to be sent by another wallet than yours.',
    ]);
  });

  test('security: a deposit approves the asset of the vault, its amount, and nobody but the vault', () => {
    const [intent, [approve, deposit]] = changeOf('deposit');
    if (!approve || !deposit) throw new Error('two steps');
    const problems = (step: PreparedCall) => checkSteps([step, deposit], intent).flatMap((each) => each.problems);
    expect(problems(approve)).toEqual([]);
    expect(problems({ ...approve, to: other })).toContainEqual(expect.stringContaining('another token than the asset'));
    const spender = { ...approve, ...callOf('approve', { spender: other, value: 250_000_000n }) };
    expect(problems(spender)).toContainEqual(expect.stringContaining('another spender'));
    const more = { ...approve, ...callOf('approve', { spender: intent.vault, value: 250_000_001n }) };
    expect(problems(more)).toContainEqual(expect.stringContaining('another value'));
  });
});

describe('a deposit of a token that gives a new allowance only once the old one is zero', () => {
  const [intent, [approve, deposit]] = changeOf('deposit');
  if (!approve || !deposit) throw new Error('two steps');
  const approval = (value: bigint, spender = intent.vault) => ({
    ...approve,
    ...callOf('approve', { spender, value }),
  });
  const reset = approval(0n);
  const problems = (...steps: PreparedCall[]) => checkSteps(steps, intent).flatMap((each) => each.problems);

  test('default: one approval of zero comes first', () => {
    expect(problems(reset, approve, deposit)).toEqual([]);
  });

  test.each<[string, PreparedCall[]]>([
    ['of another amount', [approval(1n), approve, deposit]],
    ['for another contract', [approval(0n, other), approve, deposit]],
    ['on another token', [{ ...reset, to: other }, approve, deposit]],
    ['without the approval', [reset, deposit]],
    ['after the approval', [approve, reset, deposit]],
    ['twice', [reset, reset, deposit]],
    ['without the deposit', [reset, approve]],
    ['before another approval than was asked for', [reset, approval(250_000_001n), deposit]],
    ['described as another', [{ ...reset, decoded: approve.decoded }, approve, deposit]],
  ])('security: one %s is a problem', (_, steps) => {
    expect(problems(...steps)).not.toEqual([]);
  });

  test('security: it is sent by the wallet that asked', () => {
    expect(checkSteps([reset, approve, deposit], { ...intent, wallet: other })[0]?.problems).toEqual([
      'The call is to be sent by another wallet than yours.',
    ]);
  });
});

describe('checkDescribed', () => {
  test('default: a second signer needs the kind and the vault only', () => {
    for (const [asked, steps] of everyChange) {
      for (const call of steps) expect(checkDescribed(call, anIntent(asked)).problems).toEqual([]);
    }
  });

  test('behavior: another kind, vault or description is a problem', () => {
    const call = aPreparedCall();
    expect(checkDescribed(call, anIntent({ kind: 'skim_fees', args: {} })).problems).not.toEqual([]);
    expect(checkDescribed(call, { ...add, strategy: other }).problems).not.toEqual([]);
    const { data } = callOf('addSecondaryManager', { strategy, manager: other });
    expect(checkDescribed({ ...call, data }, add).problems).not.toEqual([]);
  });
});
