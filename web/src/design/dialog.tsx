import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Button, Heading, Modal, ModalOverlay } from 'react-aria-components';

type Props = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** False where closing loses something: then neither a press outside nor Escape closes, only a button does. */
  isDismissable?: boolean;
};

/**
 * What had the focus may go while the dialog stays: the button that was pressed. Its focus then falls to the page behind, where no key
 * closes the dialog, so the dialog takes it.
 */
function keepFocus(content: HTMLElement | null) {
  if (content === null) return;
  const take = () => {
    if (document.activeElement === document.body) content.closest<HTMLElement>('[role$="dialog"]')?.focus();
  };
  const observer = new MutationObserver(() => {
    take();
    // The focus of what was disabled goes after that was reported.
    requestAnimationFrame(take);
  });
  observer.observe(content, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => observer.disconnect();
}

export function Dialog({ title, isOpen, onClose, children, isDismissable = true }: Props) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
      className="fixed inset-0 z-40 flex items-end justify-center bg-[rgb(4_8_11/60%)] sm:items-center sm:p-6"
    >
      <Modal className="flex max-h-[100dvh] w-full max-w-xl flex-col overflow-hidden rounded-t-card border bg-surface shadow-[var(--shadow)] sm:max-h-[90dvh] sm:rounded-card">
        <AriaDialog className="flex min-h-0 flex-col outline-none">
          <header className="flex items-center justify-between gap-4 border-b px-5 py-3">
            <Heading slot="title" className="text-16 font-semibold">
              {title}
            </Heading>
            <Button
              aria-label="Close"
              onPress={onClose}
              className="grid size-8 place-items-center rounded-control text-muted hover:bg-raised hover:text-text"
            >
              <X size={16} aria-hidden="true" />
            </Button>
          </header>
          <div ref={keepFocus} className="min-h-0 overflow-y-auto p-5">
            {children}
          </div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
