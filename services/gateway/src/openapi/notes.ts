import type { Route } from '@castellan/contracts';
import { actionComment } from './comments.ts';
import type { RoleRule } from './description.ts';
import { descriptionOf } from './descriptions.ts';

const holders: Readonly<Record<RoleRule, string>> = {
  anyone: '',
  viewer: ' of a wallet with a role on the vault, view-only too',
  secondary: ' of a manager of the vault',
  primary: " of the vault's primary manager",
  'manager of any vault': ' of a wallet that manages a vault',
  'nobody here': '; the service decides which wallets may',
};

const callersOf = (route: Route): string => {
  if (route.auth === 'bearer') return `Needs a token of scope \`${route.scope}\`${holders[descriptionOf(route).role]}.`;
  const isSame = route.auth === 'public' || route.sharing?.with === 'everybody';
  return isSame ? 'Anybody may ask.' : 'Anybody may ask; a token shows what its wallet may see.';
};

const budgets = {
  api: '',
  prepare: 'Limited like prepared calls.',
  idp: 'Draws on the budget of sign-in, by network address.',
} as const;

const ageOf = ({ sharing, staleMs }: Route): string => {
  if (staleMs === 0) return '';
  return `Answers${sharing?.with === 'public' ? ' without a token' : ''} may be ${staleMs / 1000} s old.`;
};

const endOf = ({ deprecated }: Route): string => {
  if (deprecated === undefined) return '';
  const { since, sunset, instead } = deprecated;
  return `Deprecated since ${since}${sunset === undefined ? '' : `, may be removed from ${sunset} on`}: use ${instead}.`;
};

const plain = (words: string): string => words.replace(/\.$/, '').toLowerCase();
/** What the summary does not say already. */
const purposeOf = (route: Route): string => {
  const comment = actionComment(route);
  return plain(comment) === plain(descriptionOf(route).summary) ? '' : comment;
};

/** What an operation is for beyond its summary, who may call it, how old its answer may be, and what it draws on. */
export const noteOf = (route: Route): string =>
  [endOf(route), purposeOf(route), callersOf(route), ageOf(route), budgets[route.rate]]
    .filter((words) => words !== '')
    .join(' ');
