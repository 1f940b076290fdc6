type Policy = { createHTML: (markup: string) => string | null };
type Factory = { createPolicy(name: string, policy: Policy): unknown };

/**
 * The markup that may be written by text: none. React and our own code make elements; what is left are libraries that empty
 * an element by `innerHTML = ''` (zrender below the charts, the live announcer of react-aria).
 */
export const onlyEmpty: Policy = { createHTML: (markup) => (markup === '' ? '' : null) };

/**
 * Registers the only policy that the content policy of the page allows. It has no `createScript` and no `createScriptURL`, so text
 * becomes no code at all; what is refused throws where it is written and is reported to `/csp-reports`.
 */
export function registerTrustedTypes(scope: { trustedTypes?: Factory }): void {
  scope.trustedTypes?.createPolicy('default', onlyEmpty);
}

// Before any other module of ours runs. Browsers without Trusted Types go by the rest of the content policy.
registerTrustedTypes(globalThis as { trustedTypes?: Factory });
