import { useEffect } from 'react';
import { useArrival } from './use-arrival.ts';

/**
 * Begins the form that the anchor names once it is there: what led here said what is to be done, so that its first field has the focus, or
 * the whole where it has none and can.
 * @param forms - Ids of the forms of the page.
 */
export function useFormArrival(forms: readonly string[], isReady = true): void {
  const { anchor, key } = useArrival();
  const wanted = forms.find((id) => id === anchor);
  // biome-ignore lint/correctness/useExhaustiveDependencies: who asks for the same form again arrives again
  useEffect(() => {
    const form = isReady && wanted !== undefined ? document.getElementById(wanted) : null;
    form?.scrollIntoView({ block: 'center' });
    (form?.querySelector('input') ?? form?.querySelector('select') ?? form)?.focus({ preventScroll: true });
  }, [isReady, wanted, key]);
}
