import { bodyOf, single } from './prepare-route.ts';

/** Changes of what the vault may execute. */
export const hookPrepares = {
  prepareProposeHooksRoot: single({
    id: 'prepareProposeHooksRoot',
    kind: 'propose_hooks_root',
    path: '/merkle/roots/propose/prepare',
    tag: 'merkle',
    summary: "Calldata that proposes the root of one of the vault's trees; it may be executed after the timelock",
    body: bodyOf('propose_hooks_root'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'HOOKS_TREE_UNKNOWN', 'HOOKS_ROOT_UNCHANGED'],
  }),
  prepareExecuteHooksRoot: single({
    id: 'prepareExecuteHooksRoot',
    kind: 'execute_hooks_root',
    path: '/merkle/roots/execute/prepare',
    tag: 'merkle',
    summary: 'Calldata that puts the proposed hooks root into force',
    body: bodyOf('execute_hooks_root'),
    refusals: ['NO_PENDING_MANAGER_CHANGE', 'ROOT_UPDATE_NOT_READY'],
  }),
  prepareBanHookLeaves: single({
    id: 'prepareBanHookLeaves',
    kind: 'ban_hook_leaves',
    path: '/merkle/leaves/ban/prepare',
    tag: 'merkle',
    summary: 'Calldata that bans up to 100 leaves of the global root for this vault',
    body: bodyOf('ban_hook_leaves'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'LEAVES_UNCHANGED'],
  }),
  prepareAllowHookLeaves: single({
    id: 'prepareAllowHookLeaves',
    kind: 'allow_hook_leaves',
    path: '/merkle/leaves/allow/prepare',
    tag: 'merkle',
    summary: 'Calldata that allows banned leaves of the global root to this vault again',
    body: bodyOf('allow_hook_leaves'),
    refusals: ['UNAUTHORIZED_UPDATE_AUTHORITY', 'LEAVES_UNCHANGED'],
  }),
};
