import type { PreparedCall, PreparedKind } from '@castellan/contracts';
import { expectedOf } from './changes.ts';
import { checkPackage } from './check-package.ts';
import type { Expected, Intent, Place, Wanted } from './expected.ts';
import { type ArgValue, argOf, type Decoded, decodeKnownCall } from './known-calls.ts';
import { sameAddress } from './same-address.ts';

/** The parts of a prepared call that are checked; the resource of one has them too. */
export type CheckedCall = Pick<PreparedCall, 'to' | 'data' | 'value' | 'chain_id' | 'decoded' | 'signer'>;
/** A call as its bytes are, and why it must not be signed. */
export type Check = { decoded: Decoded | undefined; problems: readonly string[] };

const lower = (value: ArgValue): ArgValue =>
  typeof value === 'string' ? value.toLowerCase() : value.map((item) => item.toLowerCase());
const same = (left: ArgValue, right: ArgValue): boolean => JSON.stringify(lower(left)) === JSON.stringify(lower(right));

/** What an argument has to be by its name. */
type Named = Readonly<Record<'vault' | 'signer', string>>;

const isList = (wanted: Wanted): wanted is readonly string[] => Array.isArray(wanted);

function isWanted(wanted: Wanted, value: ArgValue | undefined, named: Named): boolean {
  if (wanted === undefined) return true;
  if (value === undefined) return false;
  if (typeof wanted === 'string' || isList(wanted)) return same(wanted, value);
  if ('the' in wanted) return same(named[wanted.the], value);
  return typeof value !== 'string' && value.length > 0 && value.every((item) => item === wanted.every);
}

/** Integers may arrive as numbers or as decimal strings. */
const argValueOf = (value: unknown): ArgValue | undefined => {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

const nameOf = (signature: string): string => signature.split('(')[0] ?? '';

/** How the server's description differs from the bytes. */
function misdescribed(call: CheckedCall, decoded: Decoded): string[] {
  const problems: string[] = [];
  if (nameOf(call.decoded.function) !== decoded.function) {
    problems.push(`The server describes ${call.decoded.function}, but the calldata calls ${decoded.function}.`);
  }
  for (const { name, value } of decoded.args) {
    const theirs = argValueOf(call.decoded.args[name]);
    if (theirs === undefined || !same(theirs, value)) {
      problems.push(`The server describes another ${name} than the calldata has.`);
    }
  }
  const own = new Set(decoded.args.map(({ name }) => name));
  for (const name of Object.keys(call.decoded.args)) {
    if (!own.has(name)) problems.push(`The server describes ${name}, which the calldata does not have.`);
  }
  return problems;
}

function misdirected({ target }: Expected, call: CheckedCall, place: Place): string | undefined {
  const isStrategy = sameAddress(call.to, place.strategy);
  if (target === 'strategy') {
    return isStrategy ? undefined : 'The call goes to another contract than the strategy of this vault.';
  }
  const isVault = sameAddress(call.to, place.vault);
  if (target === 'vault') return isVault ? undefined : 'The call goes to another contract than this vault.';
  if (isStrategy || isVault) {
    return 'The call goes to the vault, which this change never does.';
  }
  if (target === 'asset' && place.asset !== undefined && !sameAddress(call.to, place.asset)) {
    return 'The approval is on another token than the asset of this vault.';
  }
  if (target === 'upkeep_token' && place.upkeepToken != null && !sameAddress(call.to, place.upkeepToken)) {
    return 'The approval is on another token than the one upkeep is paid in.';
  }
  return undefined;
}

function misasked(expected: Expected, decoded: Decoded, named: Named): string[] {
  return Object.entries(expected.args)
    .filter(([name, wanted]) => !isWanted(wanted, argOf(decoded, name), named))
    .map(([name]) =>
      name === 'strategy'
        ? 'The calldata names the strategy of another vault.'
        : `The calldata has another ${name} than you asked for.`,
    );
}

function check(call: CheckedCall, place: Place & { kind: PreparedKind; args?: unknown }): Check {
  const problems: string[] = [];
  const decoded = decodeKnownCall(call.data);
  if (decoded === undefined) {
    problems.push('The calldata is not one of the calls that are known here.');
  } else {
    const expectations = expectedOf(place);
    const expected = expectations.find((each) => each.function === decoded.function);
    if (expected === undefined) {
      const names = expectations.map((each) => each.function).join(' or ');
      problems.push(`The calldata calls ${decoded.function}, but this change calls ${names}.`);
    } else {
      const wrongTarget = misdirected(expected, call, place);
      const named = { vault: place.vault, signer: call.signer.wallet_address };
      problems.push(...misasked(expected, decoded, named), ...(wrongTarget === undefined ? [] : [wrongTarget]));
    }
    problems.push(...misdescribed(call, decoded));
  }
  if (call.chain_id !== place.chainId) problems.push('The call is for another chain than this vault.');
  if (place.wallet !== undefined && !sameAddress(call.signer.wallet_address, place.wallet)) {
    problems.push('The call is to be sent by another wallet than yours.');
  }
  if (call.value !== '0') problems.push('The call sends native currency, which this change never needs.');
  return { decoded, problems: [...problems, ...checkPackage(call)] };
}

/**
 * Reads the calldata here, without the server's word for it, and compares it with what was asked for and with what the
 * server says it does. Any difference is a problem, and a call with a problem must not be signed.
 */
export const checkCall = (call: CheckedCall, intent: Intent): Check => check(call, intent);

/** The same for somebody who did not ask for the change and knows only its kind and vault: a second signer. */
export const checkDescribed = (call: CheckedCall, place: Place & { kind: PreparedKind }): Check => {
  const { kind, chainId, vault, strategy, upkeepToken = null, asset } = place;
  return check(call, { kind, chainId, vault, strategy, upkeepToken, ...(asset === undefined ? {} : { asset }) });
};

/**
 * What the first step has to be. Some tokens give a new allowance only once the old one is zero: there the approval of a deposit
 * follows one of nothing, to the same vault and on the same token.
 */
function firstIntent(steps: readonly CheckedCall[], intent: Intent): Intent {
  if (intent.kind !== 'deposit') return intent;
  const [first, second] = steps.map(({ data }) => decodeKnownCall(data));
  const isReset = first?.function === 'approve' && argOf(first, 'value') === '0' && second?.function === 'approve';
  return isReset ? { ...intent, args: { assets: '0' } } : intent;
}

/** Checks each step of a change, and that an approval is for the contract that is paid right after. */
export function checkSteps(steps: readonly CheckedCall[], intent: Intent): Check[] {
  const first = firstIntent(steps, intent);
  const checks = steps.map((call, index) => checkCall(call, index === 0 ? first : intent));
  return checks.map((each, index) => {
    if (each.decoded?.function !== 'approve') return each;
    const at = index === 0 && first !== intent ? 2 : index + 1;
    const next = checks[at]?.decoded?.function === 'approve' ? undefined : steps[at];
    const spender = argOf(each.decoded, 'spender');
    if (next !== undefined && typeof spender === 'string' && sameAddress(spender, next.to)) return each;
    return { ...each, problems: [...each.problems, 'The approval is not for the contract that is paid next.'] };
  });
}
