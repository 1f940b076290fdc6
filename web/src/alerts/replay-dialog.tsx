import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../client/services.ts';
import type { MyVault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Field } from '../design/field.tsx';
import { Failure } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import type { Binding } from './queries.ts';
import { useRefresh } from './use-refresh.ts';

type Props = { binding: Binding; vault: MyVault; onClose: () => void };

/** Begins with the last one that was delivered; a number beyond what is next leaves out what waits, and says so. */
export function ReplayDialog({ binding, vault, onClose }: Props) {
  const { api } = useApp();
  const refresh = useRefresh();
  const { channel, head_sequence: head, next_sequence: next } = binding;
  const [text, setText] = useState(String(Math.min(head, Math.max(1, next - 1))));
  const from = /^\d{1,15}$/.test(text.trim()) ? Number(text) : 0;
  const isPossible = from >= 1 && from <= head;
  const skipped = from - next;
  const replay = useMutation({
    mutationFn: () => {
      const params = {
        chain_id: String(vault.chain_id),
        vault_address: vault.vault_address,
        channel_id: channel.channel_id,
      };
      return api.replayChannel({ params, body: { from_sequence: from } });
    },
    onSuccess: () => {
      toast({ tone: 'info', title: `Events from number ${from} on are sent to ${channel.name} again` });
      onClose();
      return refresh();
    },
  });
  return (
    <Dialog title={`Deliver again to ${channel.name}`} isOpen onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (isPossible) replay.mutate();
        }}
      >
        <p className="text-13 text-muted">
          {`Every event of ${vault.name} from this number on is sent again, with the id it had.`}
        </p>
        <Field
          label="From number"
          inputMode="numeric"
          value={text}
          onChange={setText}
          error={isPossible ? undefined : `A whole number, 1 to ${head}`}
          hint={`1 to ${head}; next is ${next}.`}
          autoFocus
        />
        {isPossible && skipped > 0 ? (
          <p role="status" className="text-13 text-brass">
            {skipped === 1 ? '1 event that waits is left out.' : `${skipped} events that wait are left out.`}
          </p>
        ) : null}
        {replay.isError ? <Failure error={replay.error} title="Nothing is sent again" /> : null}
        <span className="flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>Leave it</Button>
          <Button type="submit" look="primary" isDisabled={!isPossible || replay.isPending}>
            Deliver again
          </Button>
        </span>
      </form>
    </Dialog>
  );
}
