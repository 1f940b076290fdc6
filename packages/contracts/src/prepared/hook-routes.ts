import { bodyOf, single } from './prepare-route.ts';

/** Changes of what the vault may execute. */
export const hookPrepares = {
  prepareProposeHooksRoot: single({
    id: 'prepareProposeHooksRoot',
    kind: 'propose_hooks_root',
    path: '/merkle/roots/propose/prepare',
    body: bodyOf('propose_hooks_root'),
  }),
  prepareExecuteHooksRoot: single({
    id: 'prepareExecuteHooksRoot',
    kind: 'execute_hooks_root',
    path: '/merkle/roots/execute/prepare',
    body: bodyOf('execute_hooks_root'),
  }),
  prepareBanHookLeaves: single({
    id: 'prepareBanHookLeaves',
    kind: 'ban_hook_leaves',
    path: '/merkle/leaves/ban/prepare',
    body: bodyOf('ban_hook_leaves'),
  }),
  prepareAllowHookLeaves: single({
    id: 'prepareAllowHookLeaves',
    kind: 'allow_hook_leaves',
    path: '/merkle/leaves/allow/prepare',
    body: bodyOf('allow_hook_leaves'),
  }),
};
