import { bodyOf, single, VaultInBody } from './prepare-route.ts';

/** Changes of what the vault may execute. */
export const hookPrepares = {
  /** @example const call = await client.prepareProposeHooksRoot({ body: { ...target, root } }); */
  prepareProposeHooksRoot: single({
    id: 'prepareProposeHooksRoot',
    kind: 'propose_hooks_root',
    path: '/merkle/roots/propose/prepare',
    body: bodyOf('propose_hooks_root'),
  }),
  /** @example const call = await client.prepareExecuteHooksRoot({ body: target }); */
  prepareExecuteHooksRoot: single({
    id: 'prepareExecuteHooksRoot',
    kind: 'execute_hooks_root',
    path: '/merkle/roots/execute/prepare',
    body: VaultInBody,
  }),
  /** @example const call = await client.prepareBanHookLeaves({ body: { ...target, leaves: [leaf_hash] } }); */
  prepareBanHookLeaves: single({
    id: 'prepareBanHookLeaves',
    kind: 'ban_hook_leaves',
    path: '/merkle/leaves/ban/prepare',
    body: bodyOf('ban_hook_leaves'),
  }),
  /** @example const call = await client.prepareAllowHookLeaves({ body: { ...target, leaves: [leaf_hash] } }); */
  prepareAllowHookLeaves: single({
    id: 'prepareAllowHookLeaves',
    kind: 'allow_hook_leaves',
    path: '/merkle/leaves/allow/prepare',
    body: bodyOf('allow_hook_leaves'),
  }),
};
