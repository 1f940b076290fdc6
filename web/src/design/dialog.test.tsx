import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { Dialog } from './dialog.tsx';

test('behavior: when the button that was pressed goes, the dialog takes its focus, and keys still close it', async () => {
  const onClose = jest.fn();
  const shown = (isSent: boolean) => (
    <Dialog title="Add a manager" isOpen onClose={onClose}>
      {isSent ? <p>Sent</p> : <button type="button">Sign and send</button>}
    </Dialog>
  );
  const { rerender } = render(shown(false));
  const button = screen.getByRole('button', { name: 'Sign and send' });
  button.focus();
  // As browsers do when it is disabled before it goes.
  button.blur();
  rerender(shown(true));
  const dialog = screen.getByRole('dialog', { name: 'Add a manager' });
  await waitFor(() => expect(document.activeElement).toBe(dialog));
  fireEvent.keyDown(dialog, { key: 'Escape' });
  expect(onClose).toHaveBeenCalledTimes(1);
});
