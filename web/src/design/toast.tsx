import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSyncExternalStore } from 'react';
import { Button } from 'react-aria-components';
import { Notice } from './states.tsx';

type Toast = {
  tone: 'info' | 'warn' | 'critical';
  title: string;
  detail?: string;
  action?: ReactNode;
  /** A second toast with the same key replaces the first. */
  key?: string;
};
type Shown = Toast & { id: number };

const LIFETIME_MS = 8_000;
let shown: readonly Shown[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function change(next: readonly Shown[]) {
  shown = next;
  for (const listener of listeners) listener();
}

export const dismissToast = (match: (toast: Shown) => boolean) => change(shown.filter((item) => !match(item)));

/** Shows a message; one with an action stays until it is closed, others leave by themselves. */
export function toast(message: Toast) {
  const id = nextId;
  nextId += 1;
  change([...shown.filter((item) => message.key === undefined || item.key !== message.key), { ...message, id }]);
  if (message.action === undefined) setTimeout(() => dismissToast((item) => item.id === id), LIFETIME_MS);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

export function Toasts() {
  const items = useSyncExternalStore(subscribe, () => shown);
  if (items.length === 0) return null;
  return (
    <section aria-label="Messages" className="fixed inset-x-4 bottom-4 z-50 ml-auto flex max-w-md flex-col gap-2">
      {items.map((item) => (
        <Notice
          key={item.id}
          tone={item.tone}
          title={item.title}
          action={
            <span className="flex items-center gap-2">
              {item.action}
              <Button
                aria-label="Close message"
                className="grid size-6 place-items-center rounded text-muted hover:bg-raised"
                onPress={() => dismissToast(({ id }) => id === item.id)}
              >
                <X size={14} aria-hidden="true" />
              </Button>
            </span>
          }
        >
          {item.detail}
        </Notice>
      ))}
    </section>
  );
}
