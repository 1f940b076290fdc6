import type { MyVault } from '../data/queries.ts';
import type { VaultActionId } from '../navigation/keys.ts';
import {
  feedPath,
  merklePath,
  operatePath,
  pausePath,
  redemptionsPath,
  settingsPath,
  usersPath,
  yieldSourcesPath,
} from '../navigation/paths.ts';

type Role = MyVault['my_role'];

const managers: readonly Role[] = ['primary_manager', 'secondary_manager'];
const primary: readonly Role[] = ['primary_manager'];

type VaultAction = {
  id: VaultActionId;
  name: string;
  /** What people type for it besides its name. */
  also: string;
  who: readonly Role[];
  /** Where its form is; an anchor names the form that is begun on arrival. */
  path: (chain: string, address: string) => string;
  /** What it is called, and what people type for it, on a paused vault. */
  whenPaused?: { name: string; also: string };
  /** Not a thing of each day: only the palette has it. */
  isRare?: true;
};

/** Changes of a vault, where their form is, and whose they are; the server and the chain decide anew. */
export const vaultActions: readonly VaultAction[] = [
  {
    id: 'pause',
    name: 'Pause',
    also: 'stop panic emergency freeze halt',
    whenPaused: { name: 'Release from pause', also: 'unpause resume unfreeze restart reopen lift emergency' },
    who: managers,
    path: (chain, address) => `${pausePath(chain, address)}#pause-form`,
  },
  {
    id: 'fulfil',
    name: 'Fulfil redemptions',
    also: 'pay out queue waiting withdrawals',
    who: managers,
    path: redemptionsPath,
  },
  {
    id: 'top-up',
    name: 'Top up the upkeep',
    also: 'deposit pay fund refill balance runway gas',
    who: managers,
    path: (chain, address) => `${settingsPath(chain, address)}#deposit-upkeep`,
  },
  {
    id: 'fee',
    name: 'Propose a fee',
    also: 'change management and performance fees recipient',
    who: primary,
    path: (chain, address) => `${settingsPath(chain, address)}#propose-fees`,
  },
  {
    id: 'skim',
    name: 'Take the performance fee',
    also: 'skim collect claim fees',
    who: managers,
    path: (chain, address) => `${settingsPath(chain, address)}#fees`,
    isRare: true,
  },
  {
    id: 'manager',
    name: 'Add a manager',
    also: 'secondary role grant access invite user wallet',
    who: primary,
    path: (chain, address) => `${usersPath(chain, address)}#add-manager`,
  },
  {
    id: 'viewer',
    name: 'Grant view-only access',
    also: 'viewer role invite user wallet auditor',
    who: primary,
    path: (chain, address) => `${usersPath(chain, address)}?tab=viewers#grant-view-only`,
  },
  {
    id: 'targets',
    name: 'Set targets and caps',
    also: 'allocation limit share of a source most',
    who: managers,
    path: (chain, address) => `${yieldSourcesPath(chain, address)}#set-targets`,
  },
  {
    id: 'tree',
    name: 'Change the hooks tree',
    also: 'merkle root configuration version allow hook leaves',
    who: managers,
    path: (chain, address) => `${merklePath(chain, address)}#new-version`,
  },
  {
    id: 'strategy',
    name: 'New strategy',
    also: 'template rule automation write',
    who: managers,
    path: (chain, address) => `${operatePath(chain, address)}/strategies?edit=new`,
  },
  {
    id: 'prices',
    name: 'Change the rules of prices',
    also: 'deviation staleness expiration interval guards',
    who: primary,
    path: (chain, address) => `${settingsPath(chain, address)}#prices`,
    isRare: true,
  },
  {
    id: 'source',
    name: 'Add a yield source',
    also: 'venue pool protocol allocation',
    who: primary,
    path: yieldSourcesPath,
    isRare: true,
  },
  {
    id: 'post',
    name: 'Write a post',
    also: 'feed note announce publish',
    who: managers,
    path: feedPath,
    isRare: true,
  },
];

/** What an action is called on a vault in its state, and what people type for it. */
export const wordsOfAction = (
  { name, also, whenPaused }: VaultAction,
  { operational_state: state }: Partial<MyVault>,
): { name: string; also: string } => (state === 'paused' && whenPaused !== undefined ? whenPaused : { name, also });

/** Who may, of an action that a reader may not do. */
export const refusalOf = ({ who }: VaultAction): string =>
  who === primary ? 'Only the primary manager may' : 'Only its managers may';
