import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Field } from '../design/field.tsx';

const MOST_LETTERS = 60;

type Props = { isOpen: boolean; onClose: () => void; onName: (name: string) => void };

/** Asks under which name a view is kept. */
export default function NameViewDialog({ isOpen, onClose, onName }: Props) {
  const [name, setName] = useState('');
  return (
    <Dialog title="Save this view" isOpen={isOpen} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === '') return;
          onName(name.trim());
          setName('');
          onClose();
        }}
      >
        <Field
          label="Name"
          value={name}
          onChange={setName}
          maxLength={MOST_LETTERS}
          autoFocus
          hint="Columns, sort and filter are kept in this browser for this wallet. A view of the same name is replaced."
        />
        <Button type="submit" look="primary" isDisabled={name.trim() === ''} className="self-start">
          Save
        </Button>
      </form>
    </Dialog>
  );
}
